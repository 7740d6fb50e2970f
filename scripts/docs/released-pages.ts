import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { changedAt } from '../changed-at.ts';
import { releasedVersions, releaseFile, releasesFolder } from '../diff/releases.ts';
import { root } from '../root.ts';
import { docsPage } from './page.ts';
import { releasedVersion } from './versions.ts';
import { docsFolder, writeDocsPage } from './write-page.ts';

/**
 * Builds the pages of the released contracts that are missing or older than what they are made from, each with its
 * policy and its openapi.yaml in dist/docs/VERSION/; gives the pages that were built.
 */
export function buildReleasedPages(releases = releasesFolder, docs = docsFolder): string[] {
  return releasedVersions(releases).flatMap((version) => {
    const source = releaseFile(version, releases);
    const folder = join(docs, version);
    const page = join(folder, 'index.html');
    if (changedAt(page) > Math.max(...[source, ...pageMakers()].map(changedAt))) return [];
    const json = JSON.stringify(parse(readFileSync(source, 'utf8')));
    writeDocsPage(docsPage({ json }, releasedVersion(version)), folder);
    copyFileSync(source, join(folder, 'openapi.yaml'));
    return [page];
  });
}

function pageMakers(): string[] {
  const makers = readdirSync(import.meta.dirname).filter((file) => !file.endsWith('.test.ts'));
  return [join(root, '.redocly.yaml'), ...makers.map((file) => join(import.meta.dirname, file))];
}
