import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/root.ts';
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

/**
 * A page with its figures between their markers, `<!-- bench: targets -->` and `<!-- bench end -->`.
 * @throws Error when a marker is missing
 */
export function withFigures(page: string, results: Results): string {
  let text = page;
  for (const [name, part] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- bench: ${name} -->\n\n)[^]*?(\n\n<!-- bench end -->)`);
    if (!place.test(text)) throw new Error(`The page has no place for the figures "${name}".`);
    text = text.replace(place, (_, start: string, end: string) => `${start}${part(results)}${end}`);
  }
  return text;
}
