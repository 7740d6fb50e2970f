import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { ContractDocument } from '../../contract/document.ts';
import { releasedVersions, releaseFile, releasesFolder } from '../../diff/releases.ts';
import { root } from '../../project.ts';
import { forReaders } from '../reader-document.ts';
import { relativeAddress } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';
import { highlightingStyles, inlineSources, withScriptFiles } from './inline.ts';
import { renderReference } from './render.ts';

/** The reference of a released contract inside the site's layout: the page, and the script files that it needs. */
function referencePage(contract: ContractDocument, version: string): SiteFile[] {
  const path = `${version}/index.html`;
  const to = (target: string) => relativeAddress(path, target);
  const rendered = renderReference(JSON.stringify(forReaders(contract, to)), redoclySettings());
  const { html, files } = withScriptFiles(rendered.body, to);
  const page = sitePage({
    path,
    title: `API reference, version ${version}`,
    description: `Every operation, field, header and status of the ${contract.info.title} API, version ${contract.info.version}.`,
    section: 'reference',
    head: rendered.head,
    body: `<aside class="reference-note" aria-label="Versions">This is version ${version}. <a href="../reference.html">Go to the current version</a></aside>
<div id="content" class="reference" tabindex="-1">
<noscript>Without JavaScript, the parts of this page do not open. Read the contract instead: <a href="openapi.yaml">openapi.yaml</a>.</noscript>
${html}</div>`,
    policy: inlineSources(rendered.head + html, highlightingStyles(rendered.body)),
  });
  return [page, ...files];
}

/** The reference of each released contract, and the contract itself, in a folder with the release's number. */
export function releasedReferences(folder = releasesFolder): SiteFile[] {
  return releasedVersions(folder).flatMap((version) => {
    const yaml = readFileSync(releaseFile(version, folder), 'utf8');
    return [...referencePage(parse(yaml), version), { path: `${version}/openapi.yaml`, content: yaml }];
  });
}

/** The settings of .redocly.yaml that a page needs, without those of lint, which contain relative paths. */
function redoclySettings(): string {
  const { telemetry, openapi } = parse(readFileSync(join(root, '.redocly.yaml'), 'utf8'));
  const downloadUrls = [{ title: 'openapi.yaml', url: 'openapi.yaml' }];
  return stringify({ telemetry, openapi: { ...openapi, downloadUrls } });
}
