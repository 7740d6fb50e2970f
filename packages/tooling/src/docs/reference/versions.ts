import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from '../../project.ts';

/** The parts in which the references of several versions differ. */
export type ReferenceVersion = {
  /** The path of the page below the site's root. */
  path: string;
  title: string;
  /** HTML about the other versions between the header and the reference; may be empty. */
  note: string;
  /** The URL of the page's contract, relative to the page. */
  contractAddress: string;
};

/** The reference of the current contract, with links to those of the releases. */
export function currentVersion(releases: readonly string[]): ReferenceVersion {
  const links = releases.map((version) => `<a href="${version}/index.html">${version}</a>`);
  const versions = links.length === 0 ? '' : ` Version: current, ${links.join(', ')}.`;
  const note = noteOf(
    `<a href="operations/index.html">Each operation has its own page</a>, with a form that calls it.${versions}`,
  );
  return { path: 'reference.html', title: 'API reference', note, contractAddress: 'openapi.yaml' };
}

/** The reference of a released contract, with a link to the current one. */
export function releasedVersion(version: string): ReferenceVersion {
  return {
    path: `${version}/index.html`,
    title: `API reference, version ${version}`,
    note: noteOf(`This is version ${version}. <a href="../reference.html">Go to the current version</a>`),
    contractAddress: 'openapi.yaml',
  };
}

function noteOf(html: string): string {
  return `<aside class="reference-note" aria-label="Versions">${html}</aside>\n`;
}

/** The settings of .redocly.yaml that a page needs, without those of lint, which contain relative paths. */
export function settingsFor({ contractAddress }: ReferenceVersion): string {
  const { telemetry, openapi } = parse(readFileSync(join(root, '.redocly.yaml'), 'utf8'));
  const downloadUrls = [{ title: 'openapi.yaml', url: contractAddress }];
  return stringify({ telemetry, openapi: { ...openapi, downloadUrls } });
}
