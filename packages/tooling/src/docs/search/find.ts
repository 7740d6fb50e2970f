import MiniSearch, { type SearchResult } from 'minisearch';

/** A place that a reader may look for: a section of a guide, an operation, or an error code. */
export type SearchEntry = {
  /** Its URL, relative to the root of the site. */
  url: string;
  title: string;
  /** The page or operation that it is part of, shown next to the title. */
  group: string;
  /** Additional words that find it, such as `429` or `GET /notes`. */
  keywords: string;
  text: string;
  /** How much more it counts than another entry with the same words. */
  boost: number;
};

export type Finding = Pick<SearchEntry, 'url' | 'title' | 'group' | 'text'>;

const MAX_FINDINGS = 12;

/** Words without a meaning for the search. */
const stopWords = new Set(
  'a about an and any are as at be by can do does for from get happen how i if in is it me my of on or should the there this to use using was what when where which why will with you'.split(
    ' ',
  ),
);

/** Words of readers, and those of the docs for the same thing. */
const synonyms: Record<string, string> = {
  pagination: 'paging',
  npm: 'client',
  sdk: 'client',
  auth: 'api key',
  authentication: 'api key',
  login: 'api key',
  token: 'api key',
  throttled: '429',
  quota: 'limit',
  duplicate: 'idempotency',
};

/** The form of a word in the index and in searches; null for a word that is left out. */
function normalize(word: string): string | string[] | null {
  const term = word.toLowerCase();
  if (stopWords.has(term)) return null;
  const single = term.replace(/ies$/, 'y').replace(/(?<=[a-z]{3}[^su])s$/, '');
  return synonyms[single]?.split(' ') ?? single.replace(/(?<=[a-z]{4})(?:ed|ing|e)$/, '');
}

/** Returns the function that searches these entries. An entry with more of the reader's words comes first. */
export function createSearch(entries: readonly SearchEntry[]): (words: string) => Finding[] {
  const known = new Set<string>();
  const index = new MiniSearch<SearchEntry & { id: number }>({
    fields: ['title', 'keywords', 'group', 'text'],
    processTerm: (word) => {
      const terms = normalize(word);
      for (const term of [terms].flat()) if (term !== null) known.add(term);
      return terms;
    },
    searchOptions: {
      processTerm: normalize,
      boost: { title: 4, keywords: 3 },
      boostDocument: (id) => entries[Number(id)]?.boost ?? 1,
      prefix: (term) => !/^\d/.test(term),
      // A typo is looked for only in words that no entry has, and that are long enough.
      fuzzy: (term) => (known.has(term) || term.length < 5 ? false : 0.25),
    },
  });
  index.addAll(entries.map((entry, id) => ({ ...entry, id })));
  return (words) => {
    const rank = ({ score, queryTerms }: SearchResult) => score * queryTerms.length ** 2;
    const found = index.search(words).toSorted((one, other) => rank(other) - rank(one));
    return found.slice(0, MAX_FINDINGS).flatMap(({ id }) => entries[Number(id)] ?? []);
  };
}
