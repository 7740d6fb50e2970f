import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { booksYaml } from '../../test/books-fixture.ts';
import { type Edit, editedYaml } from '../../test/edits.ts';
import { type Contract, parseContract } from '../contract/parse.ts';

/** See cases.yaml. `released` are edits of the released contract, which are not breaking by themselves. */
export type PlantedBreak = {
  when: string;
  alone?: true;
  released?: Edit[];
  edits: Edit[];
  message: string;
  line: string;
};

export type Written = Contract & { text: string };

export const plantedBreaks: PlantedBreak[] = parse(readFileSync(join(import.meta.dirname, 'cases.yaml'), 'utf8'));

/** The contract of the fixture as the released one, and a current one with these edits. */
export function contractsWith(edits: readonly Edit[], releasedEdits: readonly Edit[] = []) {
  const released = editedYaml(source, releasedEdits);
  return {
    released: contract(released, 'releases/openapi-1.0.0.yaml'),
    current: contract(editedYaml(released, edits)),
  };
}

/** The line of a contract that a failing line begins with: `openapi.yaml:12: ...`. */
export function namedLine({ released, current }: { released: Written; current: Written }, failure: string): string {
  const [, file, number] = /^([^:]+):(\d+): /.exec(failure) ?? [];
  const { text } = file === released.file ? released : current;
  return text.split('\n')[Number(number) - 1]?.trim() ?? '';
}

/** As few groups as possible in which no two edits touch the same part, because Redocly takes half a second per group. */
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
  if (one.alone || other.alone || one.released !== other.released) return true;
  return one.edits.some(({ at }) => other.edits.some((edit) => isWithin(at, edit.at) || isWithin(edit.at, at)));
}

function isWithin(inner: string, outer: string): boolean {
  return `${inner}/`.startsWith(`${outer}/`);
}

const source = editedYaml(booksYaml, [{ at: '#/info/version', value: '1.0.0' }]);

function contract(text: string, file = 'openapi.yaml'): Written {
  return { ...parseContract(text, file), text };
}
