/** npm run soak: mixed load for a time, and a report of memory, handles and latency. `--help` tells more. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/root.ts';
import { seededRandom } from '../../scripts/testing/seeded-random.ts';
import { createKey, startServer } from '../server/server.ts';
import { nothingSeen, putUnderLoad } from './load.ts';
import { latencyTable, sampleHeading, sampleLine, statusLines } from './report.ts';
import { sampleOf } from './sample.ts';
import { faultsOf, type Sample } from './verdict.ts';

const HELP = `npm run soak -- [--minutes 10] [--rate 300] [--connections 20] [--seed 1]

Starts the server as in production, on a database of its own, and puts it under mixed load: lists, creations, orders,
wrong and hostile requests, callers that hang up. Shows every so often what is left in memory after a garbage collection,
and how many files and sockets are open. Exits 1 when a reply is wrong, or when heap or handles go on growing.

  --minutes      how long; a part of a minute is fine
  --rate         requests a second
  --connections  kept open
  --seed         the same seed sends the same requests
`;

/** Looks at the server, whatever the time. */
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
  const data = mkdtempSync(join(tmpdir(), 'animal-store-soak-'));
  const place = { folder: root, data, environment: { METRICS_PORT: '0' } };
  const keys = { unlimited: createKey(place), free: createKey(place, ['--plan', 'free']) };
  const server = await startServer(place, keys.unlimited, undefined);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  try {
    const seen = nothingSeen();
    const random = seededRandom(positive('seed'));
    const load = putUnderLoad({ port: server.port, keys, random, connections, rate, signal: stop.signal }, seen);
    const samples: Sample[] = [];
    console.log(sampleHeading);
    for (let number = 0; number < SAMPLES && !stop.signal.aborted; number += 1) {
      await setTimeout((minutes * 60_000) / SAMPLES, undefined, { signal: stop.signal }).catch(() => {});
      const sample = await sampleOf(server, ((number + 1) * minutes) / SAMPLES, seen.requests);
      samples.push(sample);
      console.log(sampleLine(sample));
    }
    stop.abort();
    await load;
    const faults = faultsOf(samples, seen.problems);
    console.log(`\n${latencyTable(seen.latencies)}\n\n${statusLines(seen.statuses)}\n`);
    console.log(faults.length === 0 ? 'Nothing grew, and each reply was right.' : faults.join('\n'));
    return faults.length === 0 ? 0 : 1;
  } finally {
    await server.stop();
    rmSync(data, { recursive: true });
  }
}

function positive(name: 'minutes' | 'rate' | 'connections' | 'seed'): number {
  const value = Number(options[name]);
  if (value > 0 && Number.isFinite(value)) return value;
  console.error(`--${name} must be a number above 0, not ${JSON.stringify(options[name])}. See npm run soak -- --help`);
  process.exit(2);
}
