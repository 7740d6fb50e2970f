import { table } from '../../scripts/docs/facts/words.ts';
import { kinds } from './keys.ts';
import { FLOOD, type WayResult } from './simulate.ts';

/** What was simulated, as Markdown. */
export function simulationTable(results: readonly WayResult[]): string {
  const heading = ['way', 'over the quota', 'refused wrongly', 'worst key', 'store, operations/s', 'its core'];
  return table([...heading, 'one key, requests/s', 'waiting p50, p99'], results.map(cellsOf));
}

/** The same by kind of key: how small quotas fare, and how large ones. */
export function kindTable(results: readonly WayResult[]): string {
  const rows = results.map(({ title, byKind }) => {
    const cells = kinds.map((kind) => {
      const { due, over, refusedWrongly } = byKind[kind];
      return `${part(over, due)}, ${part(refusedWrongly, due)}`;
    });
    return [title, ...cells];
  });
  return table(['over the quota, refused wrongly', ...kinds], rows);
}

function cellsOf(result: WayResult): string[] {
  const { title, due, over, refusedWrongly, worst, operationsPerSecond, busy, hotKeyLimit, waiting } = result;
  return [
    title,
    `${whole(over)} (${part(over, due)})`,
    `${whole(refusedWrongly)} (${part(refusedWrongly, due)})`,
    `${worst.toFixed(2)} quotas`,
    whole(operationsPerSecond),
    `${(busy * 100).toFixed(0)} %`,
    hotKeyLimit === undefined ? `more than ${whole(FLOOD.perSecond)}` : whole(hotKeyLimit),
    `${waiting.p50.toFixed(2)}, ${waiting.p99.toFixed(2)} ms`,
  ];
}

function part(value: number, of: number): string {
  if (of === 0) return '0 %';
  return `${((value / of) * 100).toFixed(1)} %`;
}

/** A whole number with its thousands set off. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
