import MiniSearch from 'minisearch';
import type { DocumentedContract } from '../facts/contract.ts';
import type { Guide } from '../guides/guide.ts';
import { searchIndexPath } from '../shell/header.ts';
import type { SiteFile } from '../site-file.ts';
import { contractEntries } from './contract-entries.ts';
import { indexOptions } from './entry.ts';
import { changelogEntries, guideEntries } from './text-entries.ts';

/** The index over guides, reference and changelog, as the browser loads it when somebody searches. */
export function searchIndex(contract: DocumentedContract, guides: readonly Guide[], changelog: string): SiteFile {
  const index = new MiniSearch(indexOptions);
  index.addAll([...guides.flatMap(guideEntries), ...contractEntries(contract), ...changelogEntries(changelog)]);
  return { path: searchIndexPath, content: JSON.stringify(index) };
}
