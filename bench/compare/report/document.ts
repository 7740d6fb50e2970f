import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/root.ts';
import { fillIn } from '../../figures/fill-in.ts';
import type { Results } from '../results.ts';
import { pictureOf } from './picture.ts';
import { conditions, processTable, serverTable, targetTable } from './tables.ts';

/** The page, and what it is made from: the figures of the run that was recorded, and its picture. */
export const documentFiles = {
  page: join(root, 'docs/performance.md'),
  figures: join(root, 'docs/performance/figures.json'),
  picture: join(root, 'docs/performance/requests.svg'),
};

const parts = { conditions, targets: targetTable, servers: serverTable, processes: processTable };

/** Keeps the figures of a run, and writes the page and the picture anew from them. */
export function record(results: Results): void {
  mkdirSync(join(root, 'docs/performance'), { recursive: true });
  writeFileSync(documentFiles.figures, `${JSON.stringify(results)}\n`);
  writeFileSync(documentFiles.picture, pictureOf(results));
  writeFileSync(documentFiles.page, withFigures(readFileSync(documentFiles.page, 'utf8'), results));
}

/** A page with its figures made from the results. */
export function withFigures(page: string, results: Results): string {
  return fillIn(page, Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, () => part(results)])));
}
