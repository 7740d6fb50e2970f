import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/root.ts';
import { fillIn } from '../../figures/fill-in.ts';
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

/** The text with its tables made from the run. */
export function withTables(text: string, run: CapacityRun): string {
  return fillIn(text, Object.fromEntries(Object.entries(sections).map(([name, make]) => [name, () => make(run)])));
}
