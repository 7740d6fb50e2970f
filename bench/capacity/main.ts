/** npm run bench:capacity: what each part of a request costs, and what follows from it. `--help` tells more. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../server/temporary-folder.ts';
import { documentFile, renderDocument } from './document/document.ts';
import { measureAll } from './measure/all.ts';
import { readRun, runFile } from './run.ts';

const HELP = `npm run bench:capacity -- [--animals 10000,1000000,10000000] [--keys 10,10000,1000000] [--rounds 5]
                          [--seconds 0.3] [--minutes 2] [--folder FOLDER] [--output FILE] [--document FILE] [--render]

Measures what each part of a request costs, on SQLite, on a PostgreSQL of its own, and with Redis or Valkey where one is
installed; simulates counting over 1,000 processes; writes all of it to ${runFile}
and the tables of ${documentFile} anew. Takes less than four minutes on a quiet machine, and 5 GB.

  --animals   small, middle and large catalogue
  --keys      small, middle and large population of keys
  --rounds    how often each thing is measured, in turns
  --seconds   how long a kind of request is sent in a round
  --minutes   how long the simulation plays, in simulated time
  --folder    where the databases are made for the time; the disk that is to be measured
  --output    where the numbers go
  --document  whose tables are written
  --render    measures nothing: writes the tables from the numbers that are there
`;

const { values: options } = parseArgs({
  options: {
    animals: { type: 'string', default: '10000,1000000,10000000' },
    keys: { type: 'string', default: '10,10000,1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '0.3' },
    minutes: { type: 'string', default: '2' },
    folder: { type: 'string', default: tmpdir() },
    output: { type: 'string', default: runFile },
    document: { type: 'string', default: documentFile },
    render: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) console.log(HELP);
else if (options.render) renderDocument(options.document, readRun(options.output));
else await run();

async function run(): Promise<void> {
  const [animals, keys] = [threeNumbers('animals'), threeNumbers('keys')];
  const [rounds, seconds, minutes] = [number('rounds'), number('seconds'), number('minutes')];
  using folder = temporaryFolder(join(options.folder, 'animal-store-capacity-'));
  const found = await measureAll({ folder: folder.path, animals, keys, rounds, seconds, minutes, say });
  writeFileSync(options.output, `${JSON.stringify(found, null, 2)}\n`);
  renderDocument(options.document, found);
  console.log(`Wrote ${options.output} and the tables of ${options.document}.`);
}

/** With the time, so that one sees how long each takes. */
function say(line: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
}

function number(name: 'rounds' | 'seconds' | 'minutes'): number {
  const value = Number(options[name]);
  return value > 0 && Number.isFinite(value) ? value : refuse(name, 'a number above 0');
}

function threeNumbers(name: 'animals' | 'keys'): [number, number, number] {
  const [small = 0, middle = 0, large = 0, ...more] = options[name].split(',').map(Number);
  const areGood = [small, middle, large].every((value) => Number.isSafeInteger(value) && value > 0);
  return areGood && more.length === 0
    ? [small, middle, large]
    : refuse(name, 'three whole numbers, such as 10,100,1000');
}

function refuse(name: keyof typeof options, what: string): never {
  console.error(
    `--${name} must be ${what}, not ${JSON.stringify(options[name])}. See npm run bench:capacity -- --help`,
  );
  process.exit(2);
}
