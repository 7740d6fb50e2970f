/** npm run bench:pages: does a page cost the same in a large catalogue as in a small one? `--help` tells more. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../packages/server/test/postgres/server.ts';
import { seededRandom } from '../../scripts/testing/seeded-random.ts';
import { ratiosOf, type Spread, spreadOf } from '../figures/statistics.ts';
import { type Catalogue, postgresCatalogue, sqliteCatalogue } from './catalogues.ts';
import { allPlaces, measureRound, type Place } from './measure.ts';

const HELP = `npm run bench:pages -- [--small 100000] [--large 10000000] [--rounds 41]

Asks the storage for pages of 20 animals by status, the first one and deep ones, in a small and a large catalogue, in
turns, on SQLite and on PostgreSQL. Shows what a page costs, and the ratio. Both catalogues are made anew in a temporary
folder: 10 million animals need 3 GB and some minutes.
`;

const { values: options } = parseArgs({
  options: {
    small: { type: 'string', default: '100000' },
    large: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '41' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) console.log(HELP);
else await run([Number(options.small), Number(options.large)], Number(options.rounds));

async function run([small, large]: [number, number], rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-pages-'));
  const postgres = await startPostgres();
  try {
    console.log('| engine | place | small, µs | large, µs | ratio |\n|---|---|---|---|---|');
    for (const make of [
      (animals: number) => sqliteCatalogue(folder, animals),
      (animals: number) => postgresCatalogue(postgres, animals),
    ]) {
      const catalogues = [await make(small), await make(large)] as const;
      for (const place of allPlaces) await compare(catalogues, place, rounds);
      for (const { storage } of catalogues) await storage.close();
    }
  } finally {
    await postgres.remove();
    rmSync(folder, { recursive: true });
  }
}

/** In turns, so that what slows the whole machine slows both. */
async function compare([small, large]: readonly [Catalogue, Catalogue], place: Place, rounds: number): Promise<void> {
  const random = seededRandom(1);
  const times: { small: number[]; large: number[] } = { small: [], large: [] };
  for (let round = -3; round < rounds; round += 1) {
    const [ofSmall, ofLarge] = [await measureRound(small, place, random), await measureRound(large, place, random)];
    // The first rounds fill caches and compile.
    if (round < 0) continue;
    times.small.push(ofSmall);
    times.large.push(ofLarge);
  }
  const cells = [
    show(spreadOf(times.small), 0),
    show(spreadOf(times.large), 0),
    show(spreadOf(ratiosOf(times.large, times.small)), 2),
  ];
  console.log(`| ${small.engine} | ${place} | ${cells.join(' | ')} |`);
}

function show({ median, low, high }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}
