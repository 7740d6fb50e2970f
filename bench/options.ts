import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../packages/tooling/src/project.ts';
import { type EngineName, engineNames } from './server.ts';
import { type WorkloadName, workloadsOn } from './workloads.ts';

/** The workloads, and what else a run can measure. */
type FigureName = WorkloadName | 'last operation' | 'start';

export const HELP = `npm run bench -- [options]

Compares this server with Fastify on SQLite, or with a lean Fastify on a PostgreSQL that it starts. Both do the same work on a copy of the
same database. They take turns on one core, and another core generates the load. Prints progress to stderr and tables to stdout, and
writes a JSON file.

  --engine ENGINE  sqlite (default) or postgres
  --only FIGURE    measure only this; may be repeated. On SQLite:
${list(figuresOn('sqlite'))}
                   On PostgreSQL:
${list(figuresOn('postgres'))}
  --rounds N       rounds of each figure (default: 11)
  --seconds N      length of a round (default: 0.5)
  --connections N  connections of the load generator (default: 50)
  --rows N         animals in the catalogue (default: 100,000)
  --operations N   operations of the contract for "last operation" (default: 500)
  --output FOLDER  folder of the JSON file (default: dist/bench)
  --record         measure everything on both engines; write docs/performance/figures.json and the tables of docs/performance.md
  --smoke          a quick run of the workloads; exits with 1 if a target is missed by half
  --help           show this help
`;

export type Options = {
  engines: readonly EngineName[];
  only: readonly FigureName[] | undefined;
  rounds: number;
  seconds: number;
  connections: number;
  rows: number;
  operations: number;
  output: string;
  record: boolean;
  smoke: boolean;
};

/**
 * @returns undefined for --help
 * @throws Error if the command line is not valid
 */
export function readOptions(parameters: string[]): Options | undefined {
  const { help, engine, only, record, smoke, output, ...numbers } = parse(parameters);
  if (help) return undefined;
  if (record && (smoke || only !== undefined || engine !== undefined)) {
    throw new Error('--record needs a complete run. Omit --smoke, --only and --engine.');
  }
  const chosen = choose(engine ?? 'sqlite', '--engine', engineNames);
  // Nine short rounds, of which seven decide, because a busy machine disturbs one or two of them.
  const [rounds, seconds] = smoke ? ['9', '0.15'] : ['11', '0.5'];
  return {
    engines: record ? engineNames : [chosen],
    only: smoke ? workloadsOn(chosen) : only?.map((text) => choose(text, '--only', figuresOn(chosen))),
    rounds: numberOf('rounds', numbers.rounds ?? rounds),
    seconds: numberOf('seconds', numbers.seconds ?? seconds),
    connections: numberOf('connections', numbers.connections),
    rows: numberOf('rows', numbers.rows),
    operations: numberOf('operations', numbers.operations),
    output,
    record,
    smoke,
  };
}

/** Everything that a run measures on an engine. */
export function figuresOn(engine: EngineName): FigureName[] {
  return engine === 'sqlite' ? [...workloadsOn(engine), 'last operation', 'start'] : workloadsOn(engine);
}

function parse(args: string[]) {
  return parseArgs({
    args,
    options: {
      engine: { type: 'string' },
      only: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string', default: '50' },
      rows: { type: 'string', default: '100000' },
      operations: { type: 'string', default: '500' },
      output: { type: 'string', default: join(root, 'dist/bench') },
      record: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;
}

function numberOf(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${flag} must be a number greater than 0, not ${JSON.stringify(text)}.`);
}

function choose<Name extends string>(text: string, flag: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new Error(`${flag} cannot be ${JSON.stringify(text)}. Choose from:\n${list(names)}`);
  return found;
}

function list(names: readonly string[]): string {
  return names.map((name) => `                     ${name}`).join('\n');
}
