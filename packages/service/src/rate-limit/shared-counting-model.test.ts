import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { seededRandom } from '../../../testing/src/seeded-random.ts';
import { Circuit } from './circuit.ts';
import { countRequest, emptyUsage } from './count-request.ts';
import { type Call, type Count, LateCountError } from './counters.ts';
import { countAsDatabase } from './counters-model-fixture.ts';
import { at } from './limit-cases-fixture.ts';
import { NO_TIMEOUT, sharedCounting } from './shared-counting.ts';

const RUNS = 1_000;
const STEPS = 25;
const quota = { perMinute: 1_000_000, perDay: 1_000_000 };

/** Sends requests to counters that answer, fail, are late, and count late requests in any order or not at all. */
async function run(seed: number): Promise<{ sent: number[]; counted: number[] }> {
  const random = seededRandom(seed);
  const chances = { late: random() * 0.6, failure: random() * 0.3, cancelled: random() * 0.5 };
  let now = at('23:58:30');
  const row = emptyUsage(now);
  const usage = emptyUsage(now);
  const sent = emptyUsage(now);
  const late: (() => void)[] = [];
  let isReliable = false;

  async function count(_callerId: string, call: Call): Promise<Count> {
    const chance = isReliable ? 1 : random();
    if (chance < chances.failure) throw new Error('away');
    if (chance < chances.failure + chances.late) {
      const { promise, resolve, reject } = Promise.withResolvers<Count>();
      const isCancelled = random() < chances.cancelled;
      // The numbers of the call are sent now, and counted later.
      const text = { ...call, localUsage: { ...call.localUsage } };
      late.push(() => (isCancelled ? reject(new Error('cancelled')) : resolve(countAsDatabase(row, text, now))));
      throw new LateCountError(promise);
    }
    return countAsDatabase(row, call, now);
  }
  const circuit = new Circuit(() => Promise.resolve(), {
    name: 'Redis',
    log: pino({ enabled: false }),
    timeoutMs: NO_TIMEOUT,
  });
  // Stays closed however many calls fail, so that each of them is sent.
  circuit.open = () => {};
  const counting = sharedCounting({ counters: { count, endBan: async () => {} }, circuit }, true);
  const sending: (Promise<unknown> | undefined)[] = [];
  const send = () => {
    countRequest(sent, quota, now, undefined);
    sending.push(counting.count({ callerId: 'key:a', usage, quota, now, rules: undefined }));
  };
  for (let step = 0; step < STEPS; step += 1) {
    const choice = random();
    if (choice < 0.65) send();
    else if (choice < 0.7) sending.push(counting.giveBack?.(now, true));
    else if (choice < 0.95) late.splice(Math.floor(random() * late.length), 1)[0]?.();
    else if (late.length === 0) {
      // Requests of the last minute that were counted nowhere are no longer handed over.
      await setImmediate();
      now += 60_000;
    }
    if (random() < 0.7) await setImmediate();
  }
  for (const answer of late) answer();
  await Promise.all(sending);
  await setImmediate();
  isReliable = true;
  send();
  await Promise.all(sending);
  await counting.giveBack?.(now, true);
  return { sent: [sent.minuteUsed, sent.dayUsed], counted: [row.minuteUsed, row.dayUsed] };
}

test(`in ${RUNS} random sequences of late, cancelled, failed and overtaking counts, each request counts once`, async () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const { sent, counted } = await run(seed * 7_919);
    expect({ seed, counted: counted[0] }).toEqual({ seed, counted: sent[0] });
    expect({ seed, counted: counted[1] }).toEqual({ seed, counted: sent[1] });
  }
});
