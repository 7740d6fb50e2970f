import type { DocumentedContract } from '../facts/contract.ts';
import type { Guide } from '../guides/guide.ts';
import { searchIndexPath } from '../shell/header.ts';
import type { SiteFile } from '../site-file.ts';
import { contractEntries } from './contract-entries.ts';
import type { SearchEntry } from './entry.ts';
import { sectionEntries } from './text-entries.ts';

/** All entries of the search. */
export function searchEntries(
  contract: DocumentedContract,
  guides: readonly Guide[],
  changelog: string,
): SearchEntry[] {
  return [
    ...guides.flatMap(({ name, title, markdown }) =>
      sectionEntries(`guides/${name}.html`, title, markdown, name === 'client-reference' ? 'Client' : 'Guides'),
    ),
    ...contractEntries(contract),
    ...sectionEntries('changelog.html', 'Changelog', changelog, 'Changelog'),
  ];
}

/** The entries as the browser loads them when a reader searches. */
export function searchIndex(entries: readonly SearchEntry[]): SiteFile {
  return { path: searchIndexPath, content: JSON.stringify(entries) };
}
