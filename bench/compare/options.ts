import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../packages/tooling/src/project.ts';
import { type EngineName, engineNames } from './data.ts';
import { animalStore, isServerName, type ServerName, serversOf } from './servers.ts';
import { targets } from './targets.ts';
import { isWorkloadName, type WorkloadName, workloads, workloadsOn } from './workloads.ts';

export const HELP = `npm run bench -- [options]

Compares this server with peers that do the same work on a copy of the same database. The servers take turns on one core, and another
core generates the load. Prints progress to stderr and tables to stdout, and writes a JSON file.

  --engine ENGINE  postgres: all servers store in a PostgreSQL, which the benchmark starts, instead of SQLite. Also measures
                   its processor time, the commits that write, and the round trips of each request
  --redis          with --engine postgres: our server counts requests in Redis instead of PostgreSQL
  --only WORKLOAD  measure only this workload; may be repeated:
${list(workloadsOn('sqlite'))}
                   with --engine postgres:
${list(workloadsOn('postgres'))}
  --against PEER   compare only with this peer; may be repeated. On PostgreSQL, there are the Fastify peers that are not
                   tuned, and Express:
${list(serversOf.sqlite.filter((name) => name !== animalStore))}
  --rounds N       rounds of each workload (default: 11)
  --seconds N      length of a round (default: 0.5)
  --connections N  connections of the load generator (default: 50)
  --starts N       measured starts of each server (default: 7; 0 measures none)
  --output FOLDER  folder of the JSON file (default: dist/bench)
  --record         also write docs/performance/; on SQLite, also the figures in docs/
  --smoke          a quick run against both kinds of Fastify, or the lean one on PostgreSQL, which takes about a minute;
                   exits with 1 if a target is missed by half
  --help           show this help
`;

export type Options = {
  engine: EngineName;
  redis: boolean;
  workloads: readonly WorkloadName[];
  servers: readonly ServerName[];
  rounds: number;
  seconds: number;
  connections: number;
  starts: number;
  warmUpSeconds: number;
  output: string;
  record: boolean;
  smoke: boolean;
};

/** Nine short rounds, of which seven decide, because a busy machine disturbs one or two of them. */
const SMOKE = { rounds: 9, seconds: 0.15, starts: 0 };
const SMOKE_PEERS: Readonly<Record<EngineName, readonly ServerName[]>> = {
  sqlite: ['Fastify', 'Fastify, lean'],
  postgres: ['Fastify, lean'],
};
const DEFAULTS = { rounds: 11, seconds: 0.5, starts: 7 };
const CONNECTIONS = 50;

/** The command line is not valid. */
export class OptionError extends Error {
  override name = 'OptionError';
}

/**
 * @returns undefined for --help
 * @throws OptionError
 */
export function readOptions(parameters: string[]): Options | undefined {
  const values = parse(parameters);
  if (values.help) return undefined;
  const { only, against, record, smoke, output, redis } = values;
  const [engine = 'sqlite'] = choose([values.engine], [], isEngineName, 'an engine', engineNames);
  if (redis && engine !== 'postgres') throw new OptionError('--redis needs --engine postgres.');
  const [servers, measurable] = [serversOf[engine], workloadsOn(engine)];
  if (record && (smoke || only !== undefined || against !== undefined)) {
    throw new OptionError('--record needs a complete run. Omit --smoke, --only and --against.');
  }
  const defaults = smoke ? SMOKE : { ...DEFAULTS, ...(only !== undefined && { starts: 0 }) };
  const peers = choose(against, smoke ? SMOKE_PEERS[engine] : servers, isServerName, 'a peer', servers);
  const chosen = choose(only, smoke ? withTarget(engine) : measurable, isWorkloadName, 'a workload', measurable);
  return {
    engine,
    redis,
    workloads: withBaseline(chosen, measurable),
    servers: [animalStore, ...peers.filter((name) => name !== animalStore)],
    rounds: numberOf('rounds', values.rounds, defaults.rounds),
    seconds: numberOf('seconds', values.seconds, defaults.seconds),
    connections: numberOf('connections', values.connections, CONNECTIONS),
    starts: numberOf('starts', values.starts, defaults.starts),
    warmUpSeconds: smoke ? 0.5 : 1,
    output,
    record,
    smoke,
  };
}

function isEngineName(text: string): text is EngineName {
  return engineNames.some((name) => name === text);
}

function withTarget(engine: EngineName): WorkloadName[] {
  return workloadsOn(engine).filter((name) =>
    targets[engine].some((target) => 'workload' in target && target.workload === name),
  );
}

/** Errors are compared with successful pages. */
function withBaseline(chosen: readonly WorkloadName[], measurable: readonly WorkloadName[]): readonly WorkloadName[] {
  const hasErrors = chosen.some((name) => workloads[name].group === 'errors');
  return measurable.filter((name) => chosen.includes(name) || (hasErrors && name === '200, random pages'));
}

function parse(parameters: string[]) {
  try {
    return parseArgs({
      args: parameters,
      options: {
        engine: { type: 'string', default: 'sqlite' },
        redis: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        against: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        connections: { type: 'string' },
        starts: { type: 'string' },
        output: { type: 'string', default: join(root, 'dist/bench') },
        record: { type: 'boolean', default: false },
        smoke: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error));
  }
}

function numberOf(flag: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (Number.isFinite(value) && (value > 0 || (flag === 'starts' && value === 0))) return value;
  throw new OptionError(`--${flag} must be a number greater than 0, not ${JSON.stringify(text)}.`);
}

function choose<Name extends string>(
  given: string[] | undefined,
  fallback: readonly Name[],
  isName: (text: string) => text is Name,
  what: string,
  all: readonly Name[],
): readonly Name[] {
  if (given === undefined) return fallback;
  return given.map((text) => {
    if (isName(text) && all.includes(text)) return text;
    throw new OptionError(`${JSON.stringify(text)} is not ${what}. Choose from:\n${list(all)}`);
  });
}

function list(names: readonly string[]): string {
  return names.map((name) => `                     ${name}`).join('\n');
}
