/** npm run soak: mixed load for some time, and a report of memory, handles and latency. See --help. */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../packages/testing/src/seeded-random.ts';
import { root } from '../../packages/tooling/src/project.ts';
import { createKey, type Server, startServer } from '../server/server.ts';
import { temporaryFolder } from '../server/temporary-folder.ts';
import { quantile } from '../statistics.ts';
import { type Observations, sendSteadily } from './load.ts';
import { faultsOf, mebibytes, type Sample } from './verdict.ts';

const HELP = `npm run soak -- [--minutes 10] [--rate 300] [--connections 20] [--seed 1]

Starts the server in production mode with its own database, and sends a mixed load: lists, creations, orders, invalid and hostile
requests, and clients that abort. At regular intervals, prints the memory in use after a garbage collection, and the number of open
files and sockets. Exits with 1 if a response is wrong, or if heap or handles keep growing.

  --minutes      duration of the run, such as 0.5 or 60
  --rate         requests per second
  --connections  number of open connections
  --seed         the same seed sends the same requests
`;

const SAMPLES = 20;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '300' },
    connections: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) console.log(HELP);
else process.exitCode = await soak();

async function soak(): Promise<0 | 1> {
  const [minutes, rate, connections] = [positive('minutes'), positive('rate'), positive('connections')];
  const random = seededRandom(positive('seed'));
  using data = temporaryFolder(join(tmpdir(), 'animal-store-soak-'));
  const server = { project: root, data: data.path, environment: { METRICS_PORT: '0' } };
  const keys = { unlimited: createKey(server), free: createKey(server, ['--plan', 'free']) };
  const running = await startServer(server, undefined);
  const stop = new AbortController();
  const observations: Observations = { requests: 0, latencies: new Map(), statuses: new Map(), problems: [] };
  const samples: Sample[] = [];
  try {
    const { port } = running;
    const load = sendSteadily({ port, keys, random, connections, rate, signal: stop.signal }, observations);
    console.log(['minutes', 'requests', 'heap', 'resident', 'open'].map(cell).join(''));
    for (let number = 1; number <= SAMPLES; number += 1) {
      await setTimeout((minutes * 60_000) / SAMPLES);
      const { heap, resident } = await running.memory();
      const handles = await openHandles(running);
      const sample = {
        minutes: (number * minutes) / SAMPLES,
        requests: observations.requests,
        heap,
        resident,
        handles,
      };
      samples.push(sample);
      console.log(lineOf(sample));
    }
    stop.abort();
    await load;
  } finally {
    stop.abort();
    await running.stop();
  }
  const faults = faultsOf(samples, observations.problems);
  console.log(`\n${latencyTable(observations)}\n\n${statusLines(observations)}\n`);
  console.log(
    faults.length === 0 ? 'Memory and handles are stable, and every response was correct.' : faults.join('\n'),
  );
  return faults.length === 0 ? 0 : 1;
}

function positive(name: 'minutes' | 'rate' | 'connections' | 'seed'): number {
  const value = Number(options[name]);
  if (value > 0 && Number.isFinite(value)) return value;
  console.error(
    `--${name} must be a number greater than 0, not ${JSON.stringify(options[name])}. See npm run soak -- --help`,
  );
  process.exit(2);
}

/** The number of open files and sockets, from the metrics of the server. */
async function openHandles({ output }: Server): Promise<number> {
  const url = /metrics +(http:\S+)/.exec(output())?.[1];
  if (url === undefined) throw new Error(`The server does not print the URL of its metrics:\n${output()}`);
  const text = await (await fetch(url)).text();
  // Linux counts everything that is open; elsewhere, only the handles of the event loop are known.
  const count = /^process_open_fds (\d+)/m.exec(text) ?? /^nodejs_active_handles_total (\d+)/m.exec(text);
  if (count === null) throw new Error('The metrics have no number of open handles.');
  return Number(count[1]);
}

function lineOf({ minutes, requests, heap, resident, handles }: Sample): string {
  return [minutes.toFixed(2), requests, mebibytes(heap), mebibytes(resident), handles].map(cell).join('');
}

function cell(value: string | number): string {
  return String(value).padStart(12);
}

function latencyTable({ latencies }: Observations): string {
  const rows = [...latencies]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([kind, values]) => {
      const sorted = values.toSorted((a, b) => a - b);
      const quantiles = [0.5, 0.99, 1].map((fraction) => quantile(sorted, fraction).toFixed(1));
      return [kind.padEnd(16), ...[values.length, ...quantiles].map(cell)].join('');
    });
  return [['kind'.padEnd(16), ...['requests', 'p50 ms', 'p99 ms', 'max ms'].map(cell)].join(''), ...rows].join('\n');
}

/** How often each kind of request got each status. */
function statusLines({ statuses }: Observations): string {
  const sorted = [...statuses].sort(([a], [b]) => a.localeCompare(b));
  return sorted.map(([label, count]) => `${label.padEnd(28)}${count}`).join('\n');
}
