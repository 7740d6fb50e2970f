/** npm run bench:growing: checks whether an operation costs the same in a contract with 500 operations. See --help. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findCores, pinThisProcess } from '../server/cores.ts';
import { createKey, startServer } from '../server/server.ts';
import { temporaryFolder } from '../server/temporary-folder.ts';
import { formatSpread, markdownTable, quantile, ratiosOf, spreadOf } from '../statistics.ts';
import { type FirstRequests, measureFirstRequests, measureRates, type Rates } from './measure.ts';
import { growProject } from './workspace.ts';

const HELP = `npm run bench:growing -- [--operations 500] [--rounds 21] [--seconds 0.3] [--connections 16]

Copies the project into a temporary folder, adds operations to its contract, and measures the server: the first request to each
operation, the memory that stays in use, and the rate of the last operation divided by that of the first. Exits with 1 if that ratio
is below 0.95 for a kind of operation in three of four rounds.
`;

/** The last operation must reach this fraction of the rate of the first. */
const FLOOR = 0.95;

const { values: options } = parseArgs({
  options: {
    operations: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '21' },
    seconds: { type: 'string', default: '0.3' },
    connections: { type: 'string', default: '16' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) console.log(HELP);
else process.exitCode = await bench();

async function bench(): Promise<0 | 1> {
  const cores = findCores();
  using data = temporaryFolder(join(tmpdir(), 'animal-store-growing-'));
  const { folder, grown, remove } = growProject(Number(options.operations));
  try {
    const large = { project: folder, data: data.path };
    const key = createKey(large);
    const server = await startServer(large, cores?.server);
    pinThisProcess(cores?.load);
    try {
      const firstRequests = await measureFirstRequests(server, key, grown);
      const rates = await measureRates(server, key, grown, {
        rounds: Number(options.rounds),
        seconds: Number(options.seconds),
        connections: Number(options.connections),
      });
      console.log(`${firstRequestTable(firstRequests)}\n\n${rateTable(rates)}`);
      const isFlat = [...rates.values()].every(({ first, last }) => spreadOf(ratiosOf(last, first)).high >= FLOOR);
      return isFlat ? 0 : 1;
    } finally {
      await server.stop();
    }
  } finally {
    remove();
  }
}

function firstRequestTable({ first, second, heapPerOperation }: FirstRequests): string {
  const tenth = Math.max(1, Math.floor(first.length / 10));
  // The very first requests also compile code that all operations share.
  const [early, late] = [spreadOf(first.slice(tenth, 2 * tenth + 1)), spreadOf(first.slice(-tenth))];
  const sorted = first.toSorted((a, b) => a - b);
  return markdownTable(
    ['each operation', ''],
    [
      ['first request, median', `${quantile(sorted, 0.5).toFixed(1)} ms`],
      ['first request, 95th percentile', `${quantile(sorted, 0.95).toFixed(1)} ms`],
      ['first request, last tenth of the operations against the second tenth', (late.median / early.median).toFixed(2)],
      ['second request, median', `${spreadOf(second).median.toFixed(1)} ms`],
      ['heap that remains in use', `${(heapPerOperation / 1_024).toFixed(0)} KiB`],
    ],
  );
}

function rateTable(rates: Rates): string {
  const rows = [...rates].map(([kind, { first, last }]) => {
    const spread = spreadOf(ratiosOf(last, first));
    return [kind, `≥ ${FLOOR}`, formatSpread(spread, 3), spread.median >= FLOOR ? 'yes' : '**no**'];
  });
  return markdownTable(['rate of the last operation against the first', 'target', 'median (quartiles)', 'met'], rows);
}
