import type { ContractDocument } from '../../contract/document.ts';
import type { Guide } from '../guides/guide.ts';
import { searchIndexPath } from '../shell/header.ts';
import type { SiteFile } from '../site-file.ts';
import { siteSettings } from '../site-settings.ts';
import { contractEntries } from './contract-entries.ts';
import type { SearchEntry } from './entry.ts';
import type { SearchIndex } from './find.ts';
import { sectionEntries } from './text-entries.ts';

/** All entries of the search. */
export function searchEntries(contract: ContractDocument, guides: readonly Guide[], changelog: string): SearchEntry[] {
  return [
    ...guides.flatMap(({ name, title, markdown }) =>
      sectionEntries(`guides/${name}.html`, title, markdown, name === 'client-reference' ? 'Client' : 'Guides'),
    ),
    ...contractEntries(contract),
    ...sectionEntries('changelog.html', 'Changelog', changelog, 'Changelog'),
  ];
}

/** What the browser loads when a reader searches. */
export function searchIndex(entries: readonly SearchEntry[]): SiteFile {
  const index: SearchIndex = { entries, synonyms: siteSettings.synonyms };
  return { path: searchIndexPath, content: JSON.stringify(index) };
}
