import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/root.ts';
import type { CapacityRun } from '../run.ts';
import { bottleneckTable, fleetNeedTable, fleetTable, planTable } from './load-tables.ts';
import { partTable } from './part-table.ts';
import { carriedTable, machineLine, requestTable } from './request-tables.ts';
import { simulationPart } from './simulation-part.ts';
import { catalogueTable, extrapolationTable, writeTable } from './storage-tables.ts';

export const documentFile = join(root, 'docs/capacity.md');

/** What is made from the numbers, by the name that the document has for its place. */
const sections: Record<string, (run: CapacityRun) => string> = {
  machine: machineLine,
  parts: partTable,
  requests: requestTable,
  carried: carriedTable,
  catalogues: catalogueTable,
  writes: writeTable,
  extrapolation: extrapolationTable,
  plans: planTable,
  'one-machine': bottleneckTable,
  fleet: fleetTable,
  'fleet-needs': fleetNeedTable,
  simulation: simulationPart,
};

/** Writes the tables of a document anew. */
export function renderDocument(file: string, run: CapacityRun): void {
  writeFileSync(file, withTables(readFileSync(file, 'utf8'), run));
}

/**
 * The text with its tables made from the run. What is made stands between `<!-- made: NAME -->` and `<!-- /made -->`.
 * @throws Error when a name is unknown, or a table has no place
 */
export function withTables(text: string, run: CapacityRun): string {
  const missing = new Set(Object.keys(sections));
  const made = text.replaceAll(/<!-- made: (\S+) -->\n[\s\S]*?<!-- \/made -->/g, (_, name: string) => {
    const make = sections[name];
    if (make === undefined)
      throw new Error(`There is no table ${name}; there are ${Object.keys(sections).join(', ')}.`);
    missing.delete(name);
    return `<!-- made: ${name} -->\n${make(run)}\n<!-- /made -->`;
  });
  if (missing.size > 0) throw new Error(`The document has no place for ${[...missing].join(', ')}.`);
  return made;
}
