import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from '../../root.ts';

/** What tells the references of several versions apart. */
export type ReferenceVersion = {
  /** Where the page stands below the site's root. */
  path: string;
  title: string;
  /** HTML between the header and the reference, about the other versions; empty for none. */
  note: string;
  /** Where the contract that the page is made from stands, seen from the page. */
  contractAddress: string;
};

/** The reference of the contract as it is: it leads to those of the releases. */
export function currentVersion(releases: readonly string[]): ReferenceVersion {
  const links = releases.map((version) => `<a href="${version}/index.html">${version}</a>`);
  const versions = links.length === 0 ? '' : ` Version: current, ${links.join(', ')}.`;
  const note = noteOf(
    `<a href="operations/index.html">Each operation has its own page</a>, with a form that calls it.${versions}`,
  );
  return { path: 'reference.html', title: 'API reference', note, contractAddress: 'openapi.yaml' };
}

/** The reference of a released contract: it leads back. */
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

/** The settings of .redocly.yaml that a page needs: without lint, whose files it names by their place. */
export function settingsFor({ contractAddress }: ReferenceVersion): string {
  const { telemetry, openapi } = parse(readFileSync(join(root, '.redocly.yaml'), 'utf8'));
  const downloadUrls = [{ title: 'openapi.yaml', url: contractAddress }];
  return stringify({ telemetry, openapi: { ...openapi, downloadUrls } });
}
