import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A word or an idiom to avoid, what to write instead, and why. */
export type Term = { pattern: RegExp; except: RegExp | undefined; use: string[]; because: string; notIn: string[] };

export type Finding = { index: number; found: string; use: string[]; because: string };

export function readTerms(): Term[] {
  const entries: unknown = parse(readFileSync(join(import.meta.dirname, 'terms.yaml'), 'utf8'));
  if (!Array.isArray(entries)) throw new TypeError('terms.yaml must be a list.');
  return entries.map(readTerm);
}

function readTerm(entry: unknown): Term {
  const avoid = textsOf(entry, 'avoid');
  const except = textsOf(entry, 'except');
  const use = textsOf(entry, 'use');
  const because = textsOf(entry, 'because').join(' ');
  if (avoid.length === 0 || use.length === 0 || because === '') {
    throw new TypeError(`terms.yaml: ${JSON.stringify(entry)} must have avoid, use and because.`);
  }
  return {
    pattern: expression(avoid),
    except: except.length === 0 ? undefined : expression(except),
    use,
    because,
    notIn: textsOf(entry, 'notIn'),
  };
}

/** The texts of a field, which may be one text or a list. */
function textsOf(entry: unknown, name: string): string[] {
  const value: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, name) : undefined;
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === 'string');
}

/** Characters such as `{` and `=` next to a word, or a dot between two words, show that it is code. */
function expression(alternatives: string[]): RegExp {
  return new RegExp(`(?<![\\w{$?&-]|\\w\\.)(?:${alternatives.join('|').replaceAll(' ', '\\s+')})(?![\\w=}-])`, 'gi');
}

/** Where a text of a file has words to avoid. Names in code, such as `apiKey`, are none. */
export function findTerms(text: string, file: string, terms: Term[]): Finding[] {
  return terms
    .filter(({ notIn }) => !notIn.some((start) => file.startsWith(start)))
    .flatMap(({ pattern, except, use, because }) => {
      const allowed = except === undefined ? [] : [...text.matchAll(except)];
      return [...text.matchAll(pattern)]
        .filter(({ 0: found }) => !/[a-z][A-Z]|_/.test(found))
        .filter(({ index }) => !allowed.some((one) => one.index <= index && index < one.index + one[0].length))
        .map((match) => ({
          index: match.index,
          found: match[0].replace(/\s+/g, ' '),
          use: use.map((one) => one.replace(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? '')),
          because,
        }))
        .filter(({ found, use }) => !use.includes(found));
    });
}
