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
  /** Its code blocks, and the details of an operation, which are searched, but never shown in a result. */
  code?: string;
};

/** Guides answer questions, so they come before the many other entries with the same words. */
const boosts = {
  Guides: 2.5,
  Operations: 0.8,
  'Error codes': 1,
  Client: 0.6,
  Changelog: 0.4,
};

/** A whole page has many words, so that each of them counts for little. */
const PAGE_BOOST = 1.6;

/** Words without a meaning for the search. */
const stopWords = new Set(
  `a about also am an and any are as at be been being but by can cannot could do does doing for from had happen happens has have how
  i if in is it its just let me my need of on one or our please same should so some still than that the their them then there they
  this to us use used using want was we were what when where which while who why will with without would you your`.split(
    /\s+/,
  ),
);

/** The form of a word in the index and in searches. Null for a word that is left out. */
export function normalizeTerm(word: string): string | null {
  const term = word.toLowerCase();
  return stopWords.has(term) ? null : stemOf(term);
}

/**
 * The stem that the forms of a word share: `retries`, `retried` and `retrying` become `retry`; `caching`, `cached` and `cache` become
 * `cach`. Short words remain as they are, because most of them would become part of other words.
 */
function stemOf(term: string): string {
  if (term.length < 4 || /[^a-z]/.test(term)) return term;
  const one = term.replace(/(?:ies|ied)$/, 'y').replace(/([^suio])s$/, '$1');
  const stem = one.replace(/(?<=[a-z]{3})(?:ing|ed)$/, '').replace(/([^aeioulsz])\1$/, '$1');
  return stem.length > 4 ? stem.replace(/e$/, '') : stem;
}

/** The terms of a word in the index. As a keyword, a name in camelCase also has its parts: `listNotes` is found as `list notes`. */
function termsOf(word: string, field?: string): string[] {
  const parts = field === 'keywords' && /[a-z][A-Z]/.test(word) ? word.split(/(?<=[a-z])(?=[A-Z])/) : [];
  return [word, ...parts].flatMap((part) => normalizeTerm(part) ?? []);
}

/** The options with which the browser and the tests build the index. The ID of an entry is its position. */
export const indexOptions: Options<SearchEntry & { id: number }> = {
  fields: ['title', 'keywords', 'group', 'text', 'code'],
  storeFields: ['address', 'title', 'kind', 'group', 'text'],
  processTerm: termsOf,
  searchOptions: {
    // The terms of a search are already normalised.
    processTerm: (term) => term,
    boost: { title: 4, keywords: 3, group: 1.5, code: 0.5 },
  },
};

/** How much more an entry counts than one with the same words. */
export function boostOf({ kind, group }: Record<string, unknown> = {}): number {
  const boost = Object.entries(boosts).find(([name]) => name === kind)?.[1] ?? 1;
  return group === '' ? boost * PAGE_BOOST : boost;
}
