import type { Options } from 'minisearch';

/** The groups in which results are shown. */
export type EntryKind = keyof typeof boosts;

/** A place that a reader may look for: a section of a guide, an operation, a field, an error code. */
export type SearchEntry = {
  /** Its URL, relative to the root of the site. Several entries can have the same one. */
  address: string;
  title: string;
  kind: EntryKind;
  /** The page or operation that it is part of, shown next to the title. */
  group: string;
  /** Additional words that find it, even if its text does not contain them: `429`, `GET /notes`. */
  keywords: string;
  text: string;
  /** Its code blocks, which are searched, but never shown in a result. */
  code?: string;
};

/** Guides answer questions, so they come before the many other entries with the same words. */
const boosts = {
  Guides: 2.5,
  Operations: 1.2,
  'Parameters and fields': 1,
  'Error codes': 1,
  Client: 1,
  Changelog: 0.4,
};

/** A whole page has many words, so that each of them counts for little. */
const PAGE_BOOST = 1.6;

/** Words without a meaning for the search. */
const stopWords = new Set(
  'a an and are as at be by can do does for from have how i if in is it its me my of on or so that the this to we what when where which why will with you your'.split(
    ' ',
  ),
);

/** The form of a word in the index: lower case, without the plural `s`. Null for a word that is left out. */
export function normalizeTerm(word: string): string | null {
  const term = word.toLowerCase();
  if (stopWords.has(term)) return null;
  return /^.{2,}[^suio]s$/.test(term) ? term.slice(0, -1) : term;
}

/** The options with which the browser and the tests build the index. The ID of an entry is its position. */
export const indexOptions: Options<SearchEntry & { id: number }> = {
  fields: ['title', 'keywords', 'group', 'text', 'code'],
  storeFields: ['address', 'title', 'kind', 'group', 'text'],
  processTerm: normalizeTerm,
  searchOptions: {
    boost: { title: 4, keywords: 3, group: 1.5, code: 0.5 },
    boostDocument: (_id, _term, stored) => boostOf(stored),
    prefix: true,
    // Tolerates misspelled words, but not different numbers.
    fuzzy: (term) => (/\d/.test(term) || term.length < 5 ? false : 0.2),
  },
};

function boostOf({ kind, group }: Record<string, unknown> = {}): number {
  const boost = Object.entries(boosts).find(([name]) => name === kind)?.[1] ?? 1;
  return group === '' ? boost * PAGE_BOOST : boost;
}
