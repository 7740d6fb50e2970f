import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/root.ts';
import { list } from './help.ts';
import { isServerName, ours, type ServerName, serverNames } from './subjects/servers.ts';
import { isWorkName, type Work, type WorkName, workNames, works } from './subjects/works.ts';
import { ownBases, targets } from './targets.ts';

export type Options = {
  works: readonly WorkName[];
  servers: readonly ServerName[];
  rounds: number;
  seconds: number;
  connections: number;
  starts: number;
  memory: number;
  requests: number;
  keys: number;
  output: string;
  withTests: boolean;
  /** For how long at least a server does a work before it is measured at it, in seconds. */
  warmUp: number;
  /** Groups of works that are measured on our server alone. */
  alone: readonly Work['group'][];
  record: boolean;
  smoke: boolean;
};

const flags = ['rounds', 'seconds', 'connections', 'starts', 'memory', 'requests', 'keys'] as const;
type Flag = (typeof flags)[number];

const usual: Record<Flag, number> = {
  rounds: 11,
  seconds: 0.5,
  connections: 50,
  starts: 7,
  memory: 1,
  requests: 1_000_000,
  keys: 100_000,
};

/**
 * What has a target that is a comparison within rounds, in nine short ones: seven of them must be a loss before it counts, so
 * what disturbs a machine for a moment does not decide.
 */
const smoke: Record<Flag, number> = { ...usual, rounds: 9, seconds: 0.15, starts: 0, memory: 0 };
const withTarget = workNames.filter((name) => targets.some((target) => 'work' in target && target.work === name));

const beside: readonly ServerName[] = ['Fastify'];

/** Something that the command line says and that cannot be done. */
export class OptionError extends Error {
  override name = 'OptionError';
}

/**
 * @returns undefined when only the help is wanted
 * @throws OptionError
 */
export function readOptions(parameters: string[]): Options | undefined {
  const values = parse(parameters);
  if (values.help) return undefined;
  const base = values.only === undefined ? (values.smoke ? smoke : usual) : { ...usual, starts: 0, memory: 0 };
  const numbers = (flag: Flag) => numberOf(flag, values[flag], base[flag]);
  const [rounds, seconds, connections] = [numbers('rounds'), numbers('seconds'), numbers('connections')];
  const [starts, memory, requests, keys] = [numbers('starts'), numbers('memory'), numbers('requests'), numbers('keys')];
  const chosen = withBase(named(values.only, values.smoke ? withTarget : workNames, isWorkName, 'a work'));
  const peers = named(values.against, values.smoke ? beside : serverNames, isServerName, 'a peer');
  const servers: ServerName[] = [ours, ...peers.filter((name) => name !== ours)];
  const { 'with-tests': withTests, record, output } = values;
  if (record && (values.smoke || values.only !== undefined || values.against !== undefined)) {
    throw new OptionError('--record keeps whole runs only: leave --smoke, --only and --against away.');
  }
  return {
    works: chosen,
    servers,
    rounds,
    seconds,
    connections,
    starts,
    memory,
    requests,
    keys,
    output,
    withTests,
    warmUp: values.smoke ? 0.5 : 1,
    // Refusals have targets against our own 200 only.
    alone: values.smoke ? ['refusals'] : [],
    record,
    smoke: values.smoke,
  };
}

/** Refusals are compared with our own 200s, which are measured with them. */
function withBase(chosen: readonly WorkName[]): readonly WorkName[] {
  const wanted = new Set<WorkName>(chosen);
  if (chosen.some((name) => works[name].group === 'refusals')) for (const base of ownBases) wanted.add(base);
  return workNames.filter((name) => wanted.has(name));
}

function parse(parameters: string[]) {
  try {
    return parseArgs({
      args: parameters,
      options: {
        only: { type: 'string', multiple: true },
        against: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        connections: { type: 'string' },
        starts: { type: 'string' },
        memory: { type: 'string' },
        requests: { type: 'string' },
        keys: { type: 'string' },
        output: { type: 'string', default: join(root, 'dist/bench') },
        'with-tests': { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
        smoke: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error));
  }
}

function numberOf(flag: Flag, text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  const value = Number(text);
  const mayBeNone = flag === 'starts' || flag === 'memory';
  if (Number.isFinite(value) && (value > 0 || (mayBeNone && value === 0))) return value;
  throw new OptionError(`--${flag} must be a number above 0, not ${JSON.stringify(text)}.`);
}

function named<Name extends string>(
  given: string[] | undefined,
  all: readonly Name[],
  isName: (text: string) => text is Name,
  what: string,
): readonly Name[] {
  if (given === undefined) return all;
  return given.map((text) => {
    if (isName(text)) return text;
    throw new OptionError(`${JSON.stringify(text)} is not ${what}. There are:\n${list(all)}`);
  });
}
