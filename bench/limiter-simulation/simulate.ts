import { seededRandom } from '../../scripts/testing/seeded-random.ts';
import { CounterStore } from './counter-store.ts';
import { keyChooser, makeKeys, type SimulatedKey } from './keys.ts';
import { type Accounts, Ledger } from './ledger.ts';
import type { WayName, ways } from './ways/index.ts';
import { World } from './world.ts';

export type SimulationOptions = {
  processes: number;
  keys: number;
  minutes: number;
  /** Milliseconds to the store and back. */
  roundTrip: number;
  /** Microseconds of the store's core for an operation. */
  service: number;
  /** Milliseconds between two synchronisations. */
  period: number;
  /** Size of a lease, as a part of the quota divided by the processes. */
  lease: number;
  /** Seconds that the store is away, from the middle of the first minute on. */
  outage: number;
  seed: number;
};

export type WayResult = Accounts & {
  name: WayName;
  title: string;
  /** What was asked, all keys together. */
  requestsPerSecond: number;
  operationsPerSecond: number;
  /** The part of the time in which the store's core was at work. */
  busy: number;
  /** Requests of one key that are counted in a second; undefined where that was all that were sent. */
  hotKeyLimit: number | undefined;
};

/** What is simulated unless it is said; the store's core as Redis was measured once. */
export const standardOptions: SimulationOptions = {
  processes: 1_000,
  keys: 4_000,
  minutes: 2,
  roundTrip: 0.5,
  service: 47,
  period: 1_000,
  lease: 0.5,
  outage: 15,
  seed: 1,
};

const MINUTE = 60_000;

/** What the hot key asks for where its limit is looked for, and for how long. */
export const FLOOD = { perSecond: 256_000, milliseconds: 250 };

/** Plays the same requests against a way to count. The same options give the same result. */
export function simulate(way: (typeof ways)[number], options: SimulationOptions): WayResult {
  const keys = makeKeys(options, seededRandom(options.seed));
  const length = options.minutes * MINUTE;
  const { ledger, store, sent } = play(way, options, keys, length);
  return {
    name: way.name,
    title: way.title,
    ...ledger.accounts(),
    requestsPerSecond: sent / (length / 1_000),
    operationsPerSecond: store.operations / (length / 1_000),
    busy: store.busyIn(length),
    hotKeyLimit: hotKeyLimit(way, options),
  };
}

/** How many requests of one key, whose quota is not met, are counted in a second. */
function hotKeyLimit(way: (typeof ways)[number], options: SimulationOptions): number | undefined {
  const { perSecond, milliseconds } = FLOOD;
  // Four times what is sent.
  const quota = { perMinute: perSecond, perDay: perSecond };
  const { ledger, sent } = play(way, options, [{ index: 0, kind: 'hot', quota, perSecond }], milliseconds);
  // The last ones are still under way.
  return ledger.answered > 0.95 * sent ? undefined : ledger.answered / (milliseconds / 1_000);
}

function play(
  way: (typeof ways)[number],
  options: SimulationOptions,
  keys: readonly SimulatedKey[],
  length: number,
): { ledger: Ledger; store: CounterStore; sent: number } {
  const { processes, roundTrip, service, period, lease, outage, seed } = options;
  const [arrivals, network] = [seededRandom(seed + 1), seededRandom(seed + 2)];
  const [world, ledger] = [new World(), new Ledger()];
  const away = way.isCutOff ? { from: MINUTE / 2, to: MINUTE / 2 + outage * 1_000 } : undefined;
  const store = new CounterStore({ world, random: network, roundTrip, service: service / 1_000, away });
  const counting = way.make({ world, store, random: network, processes, period, lease });
  const choose = keyChooser(keys, arrivals);
  const perMillisecond = keys.reduce((sum, key) => sum + key.perSecond, 0) / 1_000;
  let sent = 0;
  for (let at = 0; ; sent += 1) {
    // Requests come independently of each other: a Poisson process.
    at -= Math.log(1 - arrivals()) / perMillisecond;
    if (at >= length) break;
    world.runUntil(at);
    const key = choose();
    counting.count(Math.floor(arrivals() * processes), key, (isAllowed, countedAt) =>
      ledger.note(key, isAllowed, world.clockAt(countedAt), world.now - at),
    );
  }
  world.runUntil(length);
  return { ledger, store, sent };
}
