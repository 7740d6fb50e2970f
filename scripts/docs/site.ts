import type { Bundle } from '../generate/bundle.ts';
import { docsPage } from './page.ts';
import type { SiteFile } from './site-file.ts';

/** All files of the docs of the contract as it is. */
export function siteFiles(bundle?: Pick<Bundle, 'json'>): SiteFile[] {
  const { html, contentSecurityPolicy } = docsPage(bundle);
  return [{ path: 'index.html', content: html, contentSecurityPolicy }];
}
