import type { Query, SearchResult } from 'minisearch';
import MiniSearch from 'minisearch';
import { type EntryKind, indexOptions, normalizeTerm, type SearchEntry } from './entry.ts';
import { synonyms } from './synonyms.ts';

export type Finding = { address: string; title: string; group: string; excerpt: string };

/** The results of a search: groups, the best first, and a sentence about them. */
export type Findings = { groups: { name: EntryKind | 'Try this'; findings: Finding[] }[]; note: string };

/** The terms of a phrase, and those of the docs for it. */
type Meaning = readonly [phrase: string[], meaning: string[]];

const MAX_PER_GROUP = 5;
const EXCERPT_LENGTH = 140;

/** Shown before the reader types, and if nothing matches. */
const starts = ['first-call', 'client', 'errors', 'limits', 'glossary'].map((name) => `guides/${name}.html`);

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
    const concepts = conceptsOf(words, meanings);
    if (concepts.length === 0)
      return { groups: [tryThis], note: 'Search guides, operations, fields, errors and the client.' };
    const all = index.search({ combineWith: 'AND', queries: concepts });
    const found = all.length > 0 ? all : index.search({ combineWith: 'OR', queries: concepts });
    if (found.length === 0) {
      return {
        groups: [tryThis],
        note: `No results for “${words}”. Try fewer or different words, or start with one of these pages.`,
      };
    }
    const groups = grouped(found);
    if (all.length > 0) return { groups, note: countOf(groups, all.length) };
    return { groups, note: `No page contains all the words of “${words}”. These results contain some of them.` };
  };
}

function countOf(groups: Findings['groups'], total: number): string {
  const shown = groups.reduce((sum, { findings }) => sum + findings.length, 0);
  if (shown < total) return `Showing ${shown} of ${total} results`;
  return total === 1 ? '1 result' : `${total} results`;
}

/** One query for each word or phrase: for the words themselves, or for the docs' term. */
function conceptsOf(words: string, meanings: readonly Meaning[]): Query[] {
  const concepts: Query[] = [];
  let left = termsOf(words);
  for (const [phrase, meaning] of meanings) {
    if (!phrase.every((term) => left.includes(term))) continue;
    concepts.push({ combineWith: 'OR', queries: [{ combineWith: 'AND', queries: phrase }, meaningOf(meaning)] });
    left = left.filter((term) => !phrase.includes(term));
  }
  return [...concepts, ...left];
}

/** The docs' own term ranks higher than the same words elsewhere. */
function meaningOf(terms: string[]): Query {
  return { combineWith: 'AND', queries: terms, boost: { title: 8, keywords: 6, group: 3, text: 2, code: 1 } };
}

function termsOf(words: string): string[] {
  return words.split(/[\s\p{P}]+/u).flatMap((word) => (word === '' ? [] : (normalizeTerm(word) ?? [])));
}

/** Longer phrases first: "status code" is not about the status of a book. */
function meaningsOf(written: Readonly<Record<string, string>>): Meaning[] {
  return Object.entries(written)
    .flatMap(([phrases, meaning]) => phrases.split('|').map((phrase): Meaning => [termsOf(phrase), termsOf(meaning)]))
    .sort(([one], [other]) => other.length - one.length);
}

/** The groups in the order of their best results. */
function grouped(results: readonly SearchResult[]): Findings['groups'] {
  const groups = new Map<EntryKind, Finding[]>();
  for (const result of results) {
    const findings = groups.get(result['kind']) ?? [];
    groups.set(result['kind'], findings);
    const finding = findingOf(result, result.terms);
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
