import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseDocument } from 'yaml';
import { keysOf } from '../lint/redocly.ts';
import { root } from '../root.ts';
import { type Contract, parseContract } from './contract.ts';

/** Where to change the contract, and to what; undefined removes the part, `append` adds to a list. */
export type Edit = { at: string; value?: unknown; append?: unknown };

/** See cases.yaml. */
export type PlantedBreak = { when: string; alone?: true; edits: Edit[]; message: string; line: string };

export type Written = Contract & { text: string };

export const plantedBreaks: PlantedBreak[] = parse(readFileSync(join(import.meta.dirname, 'cases.yaml'), 'utf8'));

/** The contract of the project as if it were released, and a current one with these edits. */
export function contractsWith(edits: readonly Edit[], releasedEdits: readonly Edit[] = []) {
  const released = edited(source, releasedEdits);
  return { released: contract(released, 'releases/openapi-1.0.0.yaml'), current: contract(edited(released, edits)) };
}

/** The line of a contract that a failing line begins with: `openapi.yaml:12: ...`. */
export function namedLine({ released, current }: { released: Written; current: Written }, failure: string): string {
  const [, file, number] = /^([^:]+):(\d+): /.exec(failure) ?? [];
  const { text } = file === released.file ? released : current;
  return text.split('\n')[Number(number) - 1]?.trim() ?? '';
}

/** As few groups as possible in which no two edits touch the same part: Redocly needs half a second for each. */
export function inGroups(breaks: readonly PlantedBreak[]): PlantedBreak[][] {
  const groups: PlantedBreak[][] = [];
  for (const planted of breaks) {
    const group = groups.find((others) => others.every((other) => !overlap(planted, other)));
    if (group === undefined) groups.push([planted]);
    else group.push(planted);
  }
  return groups;
}

function overlap(one: PlantedBreak, other: PlantedBreak): boolean {
  if (one.alone || other.alone) return true;
  return one.edits.some(({ at }) => other.edits.some((edit) => isWithin(at, edit.at) || isWithin(edit.at, at)));
}

function isWithin(inner: string, outer: string): boolean {
  return `${inner}/`.startsWith(`${outer}/`);
}

const source = edited(readFileSync(join(root, 'openapi.yaml'), 'utf8'), [{ at: '#/info/version', value: '1.0.0' }]);

function contract(text: string, file = 'openapi.yaml'): Written {
  return { ...parseContract(text, file), text };
}

function edited(text: string, edits: readonly Edit[]): string {
  const document = parseDocument(text);
  for (const { at, value, append } of edits) {
    const path = keysOf(at).map((key) => (/^\d$/.test(key) ? Number(key) : key));
    if (append !== undefined) document.addIn(path, document.createNode(append));
    else if (value === undefined) document.deleteIn(path);
    else document.setIn(path, document.createNode(value));
  }
  return document.toString({ lineWidth: 0 });
}
