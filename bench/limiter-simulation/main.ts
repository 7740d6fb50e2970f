/** npm run simulate:limiter: counting over 1,000 processes, in several ways, in simulated time. `--help` tells more. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FLOOD, type SimulationOptions, simulate, standardOptions, type WayResult } from './simulate.ts';
import { kindTable, simulationTable, whole } from './table.ts';
import { ways } from './ways/index.ts';

const descriptions: Record<keyof SimulationOptions, string> = {
  processes: 'processes; requests come to any of them',
  keys: 'keys: 89 % free, 10 % pro, 1 % business, and one hot key with 60 a minute per process',
  minutes: 'simulated time; the first minute begins at noon',
  roundTrip: 'milliseconds to the store and back',
  service: "microseconds of the store's one core for an operation",
  period: 'milliseconds between two synchronisations',
  lease: 'size of a lease, as a part of the quota divided by the processes',
  outage: 'seconds that the store is away, from the middle of the first minute on',
  seed: 'the same seed sends the same requests',
};
const names = Object.keys(standardOptions).filter(isName);

const HELP = `npm run simulate:limiter -- [--json FILE] [--OPTION NUMBER]

Plays the same requests, key by key between a quarter and four times the quota, against ways to count over many processes,
with the function that the server counts with. Shows how many requests passed over the quota, how many were refused although
there was quota left, how many operations the store did, how many requests of one key a way counts in a second (a flood of
${whole(FLOOD.perSecond)} a second), and how long requests waited to be counted. Bans are left out: they would hide what
passed over the quota. Simulated time, so the machine does not matter. Takes less than a minute.

${names.map((name) => `  --${wordOf(name).padEnd(10)} ${descriptions[name]} (${standardOptions[name]})`).join('\n')}
  --json       also writes all numbers to a file
`;

const { values } = parseArgs({
  options: {
    ...Object.fromEntries(names.map((name) => [wordOf(name), { type: 'string' as const }])),
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(HELP);
else run(readOptions(values), values.json);

function run(options: SimulationOptions, file: string | undefined): void {
  const results: WayResult[] = [];
  for (const [index, way] of ways.entries()) {
    process.stderr.write(`${index + 1}/${ways.length} ${way.title} … `);
    const startedAt = performance.now();
    results.push(simulate(way, options));
    process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  }
  const [{ requestsPerSecond = 0 } = {}] = results;
  console.log(
    `${whole(options.processes)} processes, ${whole(options.keys)} keys, ${whole(requestsPerSecond)} requests/s\n`,
  );
  console.log(`${simulationTable(results)}\n\n${kindTable(results)}`);
  if (file !== undefined) writeFileSync(file, `${JSON.stringify({ options, ways: results }, null, 2)}\n`);
}

function readOptions(given: Record<string, unknown>): SimulationOptions {
  const options = { ...standardOptions };
  for (const name of names) {
    const text = given[wordOf(name)];
    if (text === undefined) continue;
    const value = Number(text);
    if (!(value > 0 && Number.isFinite(value))) {
      console.error(
        `--${wordOf(name)} must be a number above 0, not ${JSON.stringify(text)}. See npm run simulate:limiter -- --help`,
      );
      process.exit(2);
    }
    options[name] = value;
  }
  return options;
}

/** As it is written on the command line. */
function wordOf(name: keyof SimulationOptions): string {
  return name === 'roundTrip' ? 'round-trip' : name;
}

function isName(name: string): name is keyof SimulationOptions {
  return name in descriptions;
}
