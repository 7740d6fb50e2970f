import { type Bundle, bundleContract } from '../generate/bundle.ts';
import { consoleFiles } from './console/console-files.ts';
import { docsPage } from './page.ts';
import { assets } from './shell/assets.ts';
import type { SiteFile } from './site-file.ts';

/** All files of the docs of the contract as it is. */
export function siteFiles(bundle: Bundle = bundleContract()): SiteFile[] {
  const { html, contentSecurityPolicy } = docsPage(bundle);
  return [
    { path: 'index.html', content: html, contentSecurityPolicy },
    ...assets(),
    ...consoleFiles(bundle.document),
    { path: 'openapi.json', content: bundle.json },
  ];
}
