import { join } from 'node:path';
import { root } from '../../packages/tooling/src/project.ts';

/** Bytes per row of each table and index, by engine. */
export type Sizes = {
  measuredOn: string;
  rows: number;
  sqlite: Record<string, number>;
  postgres: Record<string, number>;
};

export const sizesFile = join(root, 'docs/performance/sizes.json');

const MILLION = 1_000_000;

/** The table for docs/capacity.md, with the sum for 10 million animals, and for as many orders. */
export function sizesTable({ sqlite, postgres }: Sizes): string {
  const names = [...new Set([...Object.keys(postgres), ...Object.keys(sqlite)])];
  const show = (value: number | undefined) => (value === undefined ? '' : value.toFixed(1));
  const rows = names.map((name) => `| \`${name}\` | ${show(sqlite[name])} | ${show(postgres[name])} |`);
  const total = (sizes: Record<string, number>, table: string) => {
    const own = Object.entries(sizes).filter(([name]) => name.startsWith(table));
    return `${((own.reduce((sum, [, bytes]) => sum + bytes, 0) * 10 * MILLION) / 1e9).toFixed(1)} GB`;
  };
  const totals = ['pets', 'orders'].map(
    (table) =>
      `| **10 million \`${table}\`, all of the above** | ${total(sqlite, table)} | ${total(postgres, table)} |`,
  );
  return ['| bytes per row | SQLite | PostgreSQL |', '|---|---|---|', ...rows, ...totals].join('\n');
}
