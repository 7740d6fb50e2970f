import MiniSearch from 'minisearch';
import { indexOptions } from '../../search/entry.ts';

/** What a search found, best first. */
export type Finding = { address: string; title: string; group: string; excerpt: string };

const MOST_SHOWN = 12;
const EXCERPT_LENGTH = 140;

/** Loads the index; gives the function that looks words up in it. Rejects when the index cannot be had. */
export async function loadIndex(index: string, root: string): Promise<(words: string) => Finding[]> {
  const reply = await fetch(index);
  if (!reply.ok) throw new Error(`The search index cannot be had: status ${reply.status}.`);
  const search = MiniSearch.loadJSON(await reply.text(), indexOptions);
  return (words) =>
    search
      .search(words)
      .slice(0, MOST_SHOWN)
      .map(({ address, title, group, text, terms }) => ({
        address: new URL(address, root).href,
        title,
        group,
        excerpt: excerptOf(text, terms),
      }));
}

/** The part of a text that holds one of the words, from the beginning of a word on. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lowerCase = text.toLowerCase();
  const places = terms.map((term) => lowerCase.indexOf(term)).filter((place) => place >= 0);
  const place = places.length === 0 ? 0 : Math.min(...places);
  const start = place < EXCERPT_LENGTH / 2 ? 0 : text.lastIndexOf(' ', place - EXCERPT_LENGTH / 3) + 1;
  const end = start + EXCERPT_LENGTH;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}
