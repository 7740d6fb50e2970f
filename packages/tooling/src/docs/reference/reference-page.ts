import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { ContractDocument } from '../../contract/document.ts';
import { releasedVersions, releaseFile, releasesFolder } from '../../diff/releases.ts';
import { root } from '../../project.ts';
import { placedWithWebhooks } from '../facts/contract.ts';
import { forReaders } from '../reader-document.ts';
import { relativeAddress } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';
import { highlightingStyles, inlineSources, withScriptFiles } from './inline.ts';
import { renderReference } from './render.ts';

/** The reference of a contract inside the site's layout: the page, and the script files that it needs. */
export function referencePage(contract: ContractDocument, version: ReferenceVersion): SiteFile[] {
  const { path, title, note } = version;
  const to = (target: string) => relativeAddress(path, target);
  // Links to an operation lead to its own page, which only the current version has.
  const ids = placedWithWebhooks(contract).map(({ operationId }) => operationId);
  const operations = path === 'reference.html' ? ` data-operations="${ids.join(' ')}"` : '';
  const rendered = renderReference(JSON.stringify(forReaders(contract, to)), redoclySettings());
  const { html, files } = withScriptFiles(rendered.body, to);
  const page = sitePage({
    path,
    title,
    description: `Every operation, field, header and status of the ${contract.info.title} API, version ${contract.info.version}.`,
    section: 'reference',
    head: rendered.head,
    body: `<aside class="reference-note" aria-label="Versions">${note}</aside>
<div id="content" class="reference" tabindex="-1"${operations}>
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
    return [
      ...referencePage(parse(yaml), {
        path: `${version}/index.html`,
        title: `API reference, version ${version}`,
        note: `This is version ${version}. <a href="../reference.html">Go to the current version</a>`,
      }),
      { path: `${version}/openapi.yaml`, content: yaml },
    ];
  });
}

/** The parts in which the references of several versions differ: path, title, and HTML about the other versions. */
type ReferenceVersion = { path: string; title: string; note: string };

/** The version of the current contract, with links to the references of the releases. */
export function currentVersion(releases: readonly string[]): ReferenceVersion {
  const links = releases.map((version) => `<a href="${version}/index.html">${version}</a>`);
  const versions = links.length === 0 ? '' : ` Version: current, ${links.join(', ')}.`;
  const note = `<a href="operations/index.html">Each operation has its own page</a>, with a form that calls it.${versions}`;
  return { path: 'reference.html', title: 'API reference', note };
}

/** The settings of .redocly.yaml that a page needs, without those of lint, which contain relative paths. */
function redoclySettings(): string {
  const { telemetry, openapi } = parse(readFileSync(join(root, '.redocly.yaml'), 'utf8'));
  const downloadUrls = [{ title: 'openapi.yaml', url: 'openapi.yaml' }];
  return stringify({ telemetry, openapi: { ...openapi, downloadUrls } });
}
