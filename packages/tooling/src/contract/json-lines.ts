import { LineCounter } from 'yaml';
import { keysOf } from '../common/json.ts';

/** The beginning of a part of an object or a list, with its key. */
const beginning = /[[{,]\s*(?:("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*)?/y;
/** Strings may contain the other characters. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/g;

/** Finds the line of a part of a JSON text as it is asked for: a tree of all places would take 40 times the memory of the text. */
export function jsonLines(text: string): (pointer: string) => number {
  const known = new Map<number, Map<string, number>>();
  const lines = new LineCounter();
  for (const { index } of text.matchAll(/^/gm)) lines.addNewLine(index);
  return (pointer) => {
    let offset = text.search(/\S/);
    for (const key of keysOf(pointer)) {
      const parts = known.get(offset) ?? partsAt(text, offset);
      known.set(offset, parts);
      const next = parts.get(key);
      if (next === undefined) break;
      offset = next;
    }
    return lines.linePos(offset).line;
  };
}

/** The offsets of the values in the object or list that begins at an offset, by key or index. */
function partsAt(text: string, offset: number): Map<string, number> {
  const parts = new Map<string, number>();
  beginning.lastIndex = offset;
  for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
    const [whole, key] = found;
    const value = found.index + whole.length;
    parts.set(key === undefined ? String(parts.size) : JSON.parse(key), value);
    beginning.lastIndex = endOfValue(text, value);
  }
  return parts;
}

function endOfValue(text: string, offset: number): number {
  let depth = 0;
  tokens.lastIndex = offset;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    const character = token[0].charAt(0);
    if (depth === 0 && /[,\]}]/.test(character)) return token.index;
    if (/[[{]/.test(character)) depth += 1;
    else if (/[\]}]/.test(character)) depth -= 1;
  }
  return text.length;
}
