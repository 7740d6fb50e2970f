import type { Query, SearchOptions, SearchResult } from 'minisearch';
import MiniSearch from 'minisearch';
import { boostOf, type EntryKind, indexOptions, normalizeTerm, type SearchEntry } from './entry.ts';
import { synonyms } from './synonyms.ts';

export type Finding = { address: string; title: string; group: string; excerpt: string };

/** The results of a search: groups, the best first, and a sentence about them. */
export type Findings = { groups: { name: EntryKind | 'Try this'; findings: Finding[] }[]; note: string };

/** The terms of a phrase, those of the docs for it, and the words that a search must contain in this order to mean it. */
type Meaning = readonly [phrase: string[], meaning: string[], exactPhrase: string];

const MAX_PER_GROUP = 5;

const EXCERPT_LENGTH = 140;

/** Shown before the reader types, and if nothing matches. */
const starts = ['first-call', 'client', 'errors', 'limits'].map((name) => `guides/${name}.html`);

/** What the browser loads: the pages, and the synonyms of this API. */
export type SearchIndex = { entries: readonly SearchEntry[]; synonyms: Readonly<Record<string, string>> };

/** Returns the function that searches these entries. */
export function createSearch({ entries, synonyms: added }: SearchIndex): (words: string) => Findings {
  const index = new MiniSearch(indexOptions);
  const meanings = meaningsOf({ ...synonyms, ...added });
  index.addAll(entries.map((entry, id) => ({ ...entry, id })));
  const suggestions = starts.flatMap((address) => entries.find((entry) => entry.address === address) ?? []);
  const tryThis = {
    name: 'Try this' as const,
    findings: suggestions.map((entry) => findingOf(entry, [])),
  };

  return (words) => {
    const queries = conceptsOf(words, meanings).map((concept) => queryOf(index, concept));
    if (queries.length === 0)
      return { groups: [tryThis], note: 'Search guides, operations, fields, errors and the client.' };
    const title = words.trim().toLowerCase();
    // The name of an error code or a header means only that.
    const titleBoost = /[_-]/.test(title) ? 100 : 2;
    const boostDocument: SearchOptions['boostDocument'] = (_id, _term, stored) =>
      boostOf(stored) * (String(stored?.['title']).toLowerCase() === title ? titleBoost : 1);
    const withAll = index.search({ combineWith: 'AND', queries }, { boostDocument });
    const found = withAll.length > 0 ? withAll : index.search({ combineWith: 'OR', queries }, { boostDocument });
    if (found.length === 0) {
      return {
        groups: [tryThis],
        note: `No results for “${words}”. Try fewer or different words, or start with one of these pages.`,
      };
    }
    const groups = grouped(found);
    if (withAll.length > 0) return { groups, note: countOf(groups, found.length) };
    return { groups, note: `No page contains all the words of “${words}”. These results contain some of them.` };
  };
}

/**
 * The query for a word or phrase. Beginnings of words count, except that 4 does not mean 429 unless it is the last word, which the
 * reader may still be typing. Only a word that is nowhere is looked up with typos: one letter, or two if it is longer, because
 * swapped letters count as two.
 */
function queryOf(index: MiniSearch, { query, isLast }: Concept): Query {
  const prefix = (term: string) => isLast || (term.length > 2 && !/^\d/.test(term));
  const exact: Query = { combineWith: 'AND', queries: [query], prefix };
  if (index.search(exact).length > 0) return exact;
  const fuzzy = (term: string) => (term.length < 4 || /\d/.test(term) ? false : term.length < 6 ? 1 : 2);
  return { combineWith: 'AND', queries: [query], fuzzy };
}

function countOf(groups: Findings['groups'], total: number): string {
  const shown = groups.reduce((sum, { findings }) => sum + findings.length, 0);
  if (shown < total) return `Showing ${shown} of ${total} results`;
  return total === 1 ? '1 result' : `${total} results`;
}

/** A word or phrase of a search, and whether it is its end. */
type Concept = { query: Query; isLast: boolean };

/** One concept for each word or phrase: the words themselves, or the docs' term. */
function conceptsOf(words: string, meanings: readonly Meaning[]): Concept[] {
  const concepts: Concept[] = [];
  const terms = termsOf(words);
  let left = terms;
  const all = allWordsOf(words);
  const isLast = (phrase: readonly string[]) => phrase.at(-1) === terms.at(-1);
  for (const [phrase, meaning, exactPhrase] of meanings) {
    if (!phrase.every((term) => left.includes(term)) || !all.includes(exactPhrase)) continue;
    const query: Query = { combineWith: 'OR', queries: [{ combineWith: 'AND', queries: phrase }, meaningOf(meaning)] };
    concepts.push({ query, isLast: isLast(phrase) });
    left = left.filter((term) => !phrase.includes(term));
  }
  return [...concepts, ...left.map((term) => ({ query: term, isLast: isLast([term]) }))];
}

/** The docs' own term ranks higher than the same words elsewhere. */
function meaningOf(terms: string[]): Query {
  return { combineWith: 'AND', queries: terms, boost: { title: 8, keywords: 6, group: 3, text: 2, code: 1 } };
}

function termsOf(words: string): string[] {
  return words.split(/[\s\p{P}]+/u).flatMap((word) => (word === '' ? [] : (normalizeTerm(word) ?? [])));
}

/** The words of a text, including those that are not in the index, each between spaces. */
function allWordsOf(text: string): string {
  return ` ${text
    .split(/[\s\p{P}]+/u)
    .map((word) => normalizeTerm(word) ?? word.toLowerCase())
    .join(' ')} `;
}

/** Longer phrases first: "status code" is not about the status of a book. */
function meaningsOf(written: Readonly<Record<string, string>>): Meaning[] {
  return Object.entries(written)
    .flatMap(([phrases, meaning]) =>
      phrases.split('|').map((phrase): Meaning => [termsOf(phrase), termsOf(meaning), exactPhraseOf(phrase)]),
    )
    .sort(([one], [other]) => other.length - one.length);
}

/** All words of a phrase with a single term: "order" does not mean "order by". */
function exactPhraseOf(phrase: string): string {
  return termsOf(phrase).length === 1 ? allWordsOf(phrase) : '';
}

/** The groups in the order of their best results. */
function grouped(found: readonly SearchResult[]): Findings['groups'] {
  const groups = new Map<EntryKind, Finding[]>();
  for (const entry of found) {
    const findings = groups.get(entry['kind']) ?? [];
    groups.set(entry['kind'], findings);
    const finding = findingOf(entry, entry.terms);
    const isShown = findings.some(({ address, title }) => address === finding.address && title === finding.title);
    if (findings.length < MAX_PER_GROUP && !isShown) findings.push(finding);
  }
  return [...groups].map(([name, findings]) => ({ name, findings }));
}

function findingOf({ address, title, group, text }: SearchEntry | SearchResult, terms: readonly string[]): Finding {
  return { address, title, group, excerpt: excerptOf(text, terms) };
}

/** The part of a text with the first of the terms, from the start of a word. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lowerCase = text.toLowerCase();
  const places = terms.map((term) => lowerCase.indexOf(term)).filter((place) => place >= 0);
  const place = places.length === 0 ? 0 : Math.min(...places);
  const start = place < EXCERPT_LENGTH / 2 ? 0 : text.lastIndexOf(' ', place - EXCERPT_LENGTH / 3) + 1;
  const end = start + EXCERPT_LENGTH;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}
