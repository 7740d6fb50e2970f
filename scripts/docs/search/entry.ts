import type { Options } from 'minisearch';

/** Something that a reader may look for: a section of a guide, an operation, a field, an error code. */
export type SearchEntry = {
  id: string;
  /** Where it stands, seen from the site's root. */
  address: string;
  title: string;
  /** What it is part of, shown beside the title: `Limits and bans`, `Reference`. */
  group: string;
  /** Words that lead to it although its text may not have them: `429`, `GET /pets`. */
  keywords: string;
  text: string;
  /** Its code blocks: looked through, but never shown in a result. */
  code?: string;
};

const GUIDE_BOOST = 2.5;

/** How the index is made and read: both sides must agree. A title that fits is worth more than a word in passing. */
export const indexOptions: Options<SearchEntry> = {
  idField: 'id',
  fields: ['title', 'keywords', 'group', 'text', 'code'],
  storeFields: ['address', 'title', 'group', 'text'],
  searchOptions: {
    boost: { title: 4, keywords: 3, group: 1.5 },
    // Who searches has a question, and guides answer those.
    boostDocument: (id) => (String(id).startsWith('guides/') ? GUIDE_BOOST : 1),
    combineWith: 'AND',
    prefix: true,
    // Slips of the finger in words; in a number, another digit is another number.
    fuzzy: (term) => (/\d/.test(term) || term.length < 4 ? false : 0.2),
  },
};
