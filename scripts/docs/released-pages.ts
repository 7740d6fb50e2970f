import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { changedAt } from '../changed-at.ts';
import { releasedVersions, releaseFile, releasesFolder } from '../diff/releases.ts';
import { root } from '../root.ts';
import { builtAt } from './delivery/earlier-build.ts';
import { docsFolder, writeSite } from './delivery/write-site.ts';
import { docsPage } from './page.ts';
import { releasedVersion } from './versions.ts';

/**
 * Builds the pages of the released contracts that are missing or older than what they are made from, each a site of its
 * own in dist/docs/VERSION/ with its openapi.yaml; gives the folders that were built.
 */
export async function buildReleasedPages(releases = releasesFolder, docs = docsFolder): Promise<string[]> {
  const old = releasedVersions(releases).filter((version) => {
    const sources = [releaseFile(version, releases), ...pageMakers()];
    return builtAt(join(docs, version)) <= Math.max(...sources.map(changedAt));
  });
  const built = old.map(async (version) => {
    const contract = readFileSync(releaseFile(version, releases), 'utf8');
    const { html, contentSecurityPolicy } = docsPage(
      { json: JSON.stringify(parse(contract)) },
      releasedVersion(version),
    );
    const page = { path: 'index.html', content: html, contentSecurityPolicy };
    await writeSite([page, { path: 'openapi.yaml', content: contract }], join(docs, version));
    return join(docs, version);
  });
  return Promise.all(built);
}

function pageMakers(): string[] {
  const makers = readdirSync(import.meta.dirname).filter((file) => !file.endsWith('.test.ts'));
  return [join(root, '.redocly.yaml'), ...makers.map((file) => join(import.meta.dirname, file))];
}
