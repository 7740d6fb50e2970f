import { type Spread, spreadOf } from '../../figures/statistics.ts';
import type { RequestName } from '../measure/requests/kinds.ts';
import type { CapacityRun, CatalogueCost, Engine, Reading, RequestCost } from '../run.ts';

/** Of a hundred requests: what callers ask for. */
export const mix = { list: 0.6, get: 0.3, create: 0.1 } as const;

/** How a process remembers keys: so many, for so many seconds (`SecretCache`). */
export const keyMemory = { keys: 10_000, seconds: 5 } as const;

/** A load to be carried: animals in the catalogue, keys that call, requests per second of all keys together. */
export type Load = { animals: number; keys: number; rate: number };

/** Microseconds of a request, on average over the mix: in the server's processes, and in PostgreSQL. */
export type AverageCost = { server: number; engine: number };

/** The part of requests whose key is read from the storage: it is remembered for a while, and not all are. */
export function keyReads({ keys, rate }: Pick<Load, 'keys' | 'rate'>): number {
  const isNew = keys / (rate * keyMemory.seconds);
  const isForgotten = 1 - keyMemory.keys / keys;
  return Math.min(1, Math.max(isNew, isForgotten));
}

/** What was measured of a request; the run must have it. */
export function requestOf(run: CapacityRun, name: RequestName): RequestCost {
  const cost = run.requests[name];
  if (cost === undefined) throw new Error(`${name} was not measured.`);
  return cost;
}

/** What one request takes of the server more than another one, round by round. */
export function moreThan(run: CapacityRun, more: RequestName, less: RequestName): Spread {
  const [high, low] = [requestOf(run, more).rounds, requestOf(run, less).rounds];
  return spreadOf(high.map((value, round) => value - (low[round] ?? Number.NaN)));
}

/** Where the animals are and requests are counted: in SQLite and the process, in PostgreSQL both, or in PostgreSQL and Redis. */
const requestsOn = {
  SQLite: { get: 'get', list: 'list', create: 'create' },
  PostgreSQL: { get: 'getOnPostgres', list: 'listOnPostgres', create: 'createOnPostgres' },
  'PostgreSQL and Redis': { get: 'getOnBoth', list: 'listOnBoth', create: 'createOnBoth' },
} as const satisfies Record<string, Record<keyof typeof mix, RequestName>>;

/** The average request: as measured over HTTP, with what the size of the catalogue and the keys change. */
export function averageCost(run: CapacityRun, place: keyof typeof requestsOn, load: Load): AverageCost {
  const engine = place === 'SQLite' ? place : 'PostgreSQL';
  const names = requestsOn[place];
  const [get, list, create] = [requestOf(run, names.get), requestOf(run, names.list), requestOf(run, names.create)];
  const bySize = (reading: Reading) => growth(run, engine, reading, load.animals);
  const readKey = keyReads(load) * keyReadCost(run, engine).server;
  const server = mix.list * list.server.median + mix.get * get.server.median + mix.create * create.server.median;
  const inEngine = (cost: RequestCost) => cost.engine?.median ?? 0;
  const read = mix.list * inEngine(list) + mix.get * inEngine(get) + mix.create * inEngine(create);
  const grown = mix.list * bySize('anyPage') + mix.get * bySize('oneAnimal');
  return {
    server: server + readKey + (engine === 'SQLite' ? grown : 0),
    engine: engine === 'SQLite' ? 0 : read + grown + keyReads(load) * keyReadCost(run, engine).engine,
  };
}

/** Reading a key: in PostgreSQL it is a row by its index, as an animal is. */
function keyReadCost(run: CapacityRun, engine: Engine): AverageCost {
  if (engine === 'SQLite') return { server: run.calls.readKey.median - run.calls.knownKey.median, engine: 0 };
  const { processor, engine: inEngine } = catalogueAt(run, engine, 1).oneAnimal;
  return { server: processor.median, engine: inEngine?.median ?? 0 };
}

/** The catalogues of an engine, the smallest first; requests over HTTP were measured on the one in the middle. */
export function cataloguesOf(run: CapacityRun, engine: Engine): CatalogueCost[] {
  return run.catalogues.filter((one) => one.engine === engine).toSorted((a, b) => a.animals - b.animals);
}

/** One of them: 1 is the one in the middle, -1 the largest. */
export function catalogueAt(run: CapacityRun, engine: Engine, place: number): CatalogueCost {
  const found = cataloguesOf(run, engine).at(place);
  if (found === undefined) throw new Error(`There is no catalogue ${place} on ${engine}.`);
  return found;
}

/** How many microseconds more than in the middle catalogue a reading takes among so many animals. */
function growth(run: CapacityRun, engine: Engine, place: Reading, animals: number): number {
  return readingAt(run, engine, place, animals) - measuredReading(catalogueAt(run, engine, 1), place);
}

/**
 * Microseconds of the processor (of PostgreSQL's, where that is the engine) for a reading among so many animals. Between
 * two sizes that were measured it lies on a line over the logarithm of the size, as levels of a tree do; beyond the largest
 * the line of the last two goes on, and never falls.
 */
export function readingAt(run: CapacityRun, engine: Engine, place: Reading, animals: number): number {
  const points = cataloguesOf(run, engine);
  const above = points.findIndex((point) => point.animals >= animals);
  const end = Math.max(1, above === -1 ? points.length - 1 : above);
  const [low, high] = [catalogueAt(run, engine, end - 1), catalogueAt(run, engine, end)];
  const [from, to] = [measuredReading(low, place), measuredReading(high, place)];
  const way = Math.log(animals / low.animals) / Math.log(high.animals / low.animals);
  if (way <= 0) return from;
  return way <= 1 ? from + way * (to - from) : to + (way - 1) * Math.max(0, to - from);
}

function measuredReading(catalogue: CatalogueCost, place: Reading): number {
  const { engine, processor } = catalogue[place];
  return (engine ?? processor).median;
}

/** Bytes of table and indexes for so many animals: in a straight line from the largest catalogue. */
export function bytesAt(run: CapacityRun, engine: Engine, animals: number): number {
  const { tableBytes, indexBytes, animals: measured } = catalogueAt(run, engine, -1);
  return ((tableBytes + indexBytes) / measured) * animals;
}
