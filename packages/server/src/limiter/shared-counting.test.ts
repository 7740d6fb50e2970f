import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { countRequest } from '../quota/count-request.ts';
import type { Call, Count } from '../quota/counters.ts';
import { emptyUsage, type Usage } from '../quota/usage.ts';
import { at, rules } from '../quota/usage-fixture.ts';
import { Circuit } from './circuit.ts';
import { sharedCounting } from './shared-counting.ts';

const noon = at('12:00:00');
const quota = { perMinute: 60, perDay: 1_000 };

/** A process, and counters elsewhere which it reaches as long as `isAway` is false. */
function createProcess() {
  const elsewhere = { isAway: false, calls: [] as Call[], usage: emptyUsage(noon) };
  const count = async (_caller: string, call: Call): Promise<Count> => {
    elsewhere.calls.push({ ...call, known: { ...call.known } });
    if (elsewhere.isAway) throw new Error('away');
    const { outcome, banStarted } = countRequest(elsewhere.usage, quota, noon, rules);
    return { now: noon, outcome, banStarted, usage: { ...elsewhere.usage } };
  };
  const circuit = new Circuit(async () => {}, { log: pino({ enabled: false }), timeoutMs: 1_000 });
  const counting = sharedCounting({ count }, circuit, true);
  const usage: Usage = emptyUsage(noon);
  const send = () => counting.count({ caller: 'key:a', usage, quota, now: noon, rules });
  return { elsewhere, circuit, usage, send };
}

/** What each call handed over of the minute. */
function handedOver(calls: Call[]): number[] {
  return calls.map(({ alone }) => alone.minute);
}

/** Waits until the circuit is closed again. */
async function comeBack(circuit: Circuit): Promise<void> {
  while (!circuit.isUp) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('what others counted is known after each answer', async () => {
  const { elsewhere, usage, send } = createProcess();
  elsewhere.usage.minuteUsed = 41;
  expect(await send()).toMatchObject({ outcome: 'allowed', remaining: 18 });
  expect(usage.minuteUsed).toBe(42);
});

test('what was counted alone is handed over once, when there is an answer again', async () => {
  const { elsewhere, circuit, send } = createProcess();
  await send();
  elsewhere.isAway = true;
  for (let request = 0; request < 5; request += 1) await send();
  elsewhere.isAway = false;
  await comeBack(circuit);
  await Promise.all([send(), send(), send()]);
  // One in good times, the one that failed, then three: only the first of them brings the five.
  expect(handedOver(elsewhere.calls)).toEqual([0, 0, 5, 0, 0]);
});

test('what was handed over with calls that failed is handed over again, all of it', async () => {
  const { elsewhere, circuit, send } = createProcess();
  circuit.fail(new Error('away'));
  await Promise.all([send(), send()]);
  await comeBack(circuit);
  elsewhere.isAway = true;
  await Promise.all([send(), send(), send()]);
  elsewhere.isAway = false;
  await comeBack(circuit);
  await send();
  expect(handedOver(elsewhere.calls)).toEqual([2, 0, 0, 5]);
});
