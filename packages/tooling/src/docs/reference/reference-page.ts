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

/**
 * The reference of a contract by Redoc, inside the site's layout: the page, and the script files that it needs. Search engines leave it out,
 * because the site has the same text on its own pages.
 * @param place `note` is a sentence in HTML that says which reference this is, and `yaml` the URL of the contract
 */
function referencePage(
  contract: ContractDocument,
  { folder, title, note, yaml }: { folder: string; title: string; note: string; yaml: string },
): SiteFile[] {
  const path = `${folder}/index.html`;
  const to = (target: string) => relativeAddress(path, target);
  const rendered = renderReference(JSON.stringify(forReaders(contract, to)), redoclySettings(yaml));
  const { html, files } = withScriptFiles(rendered.body, to);
  const page = sitePage({
    path,
    title,
    description: `Every operation, field, header and status of the ${contract.info.title} API, version ${contract.info.version}.`,
    section: 'reference',
    head: `<meta name="robots" content="noindex">${rendered.head}`,
    body: `<aside class="reference-note" aria-label="Versions">${note}</aside>
<div id="content" class="reference" tabindex="-1">
<noscript>Without JavaScript, the parts of this page do not open. Read the contract instead: <a href="${yaml}">openapi.yaml</a>.</noscript>
${html}</div>`,
    policy: inlineSources(rendered.head + html, highlightingStyles(rendered.body)),
  });
  return [page, ...files];
}

/** The reference of the contract as it is now, as another view of the same content. */
export function currentReference(contract: ContractDocument): SiteFile[] {
  const note =
    'Redoc renders this view of the reference. <a href="../operations/index.html">Go to the pages of the operations</a>';
  return referencePage(contract, { folder: 'redoc', title: 'API reference in Redoc', note, yaml: '../openapi.yaml' });
}

/** The reference of each released contract, and the contract itself, in a folder with the release's number. */
export function releasedReferences(folder = releasesFolder): SiteFile[] {
  return releasedVersions(folder).flatMap((version) => {
    const yaml = readFileSync(releaseFile(version, folder), 'utf8');
    const note = `This is version ${version}. <a href="../reference.html">Go to the current version</a>`;
    const title = `API reference, version ${version}`;
    const page = referencePage(parse(yaml), { folder: version, title, note, yaml: 'openapi.yaml' });
    return [...page, { path: `${version}/openapi.yaml`, content: yaml }];
  });
}

/** The settings of .redocly.yaml that a page needs, without those of lint, which contain relative paths. */
function redoclySettings(yaml: string): string {
  const { telemetry, openapi } = parse(readFileSync(join(root, '.redocly.yaml'), 'utf8'));
  const downloadUrls = [{ title: 'openapi.yaml', url: yaml }];
  return stringify({ telemetry, openapi: { ...openapi, downloadUrls } });
}
