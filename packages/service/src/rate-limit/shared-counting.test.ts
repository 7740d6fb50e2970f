import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Circuit } from './circuit.ts';
import { countRequest, emptyUsage, type Usage } from './count-request.ts';
import { type Call, type Count, LateCountError } from './counters.ts';
import { at, rules } from './limit-cases-fixture.ts';
import { sharedCounting } from './shared-counting.ts';

const noon = at('12:00:00');
const quota = { perMinute: 60, perDay: 1_000 };

/** A process, and shared counters that it reaches as long as `isAway` is false. */
function createProcess() {
  const shared = { isAway: false, calls: [] as Call[], usage: emptyUsage(noon) };
  const count = async (_callerId: string, call: Call): Promise<Count> => {
    shared.calls.push({ ...call, localUsage: { ...call.localUsage } });
    if (shared.isAway) throw new Error('away');
    const { outcome, banStarted } = countRequest(shared.usage, quota, noon, rules);
    return { now: noon, outcome, banStarted, usage: { ...shared.usage } };
  };
  const circuit = new Circuit(async () => {}, { name: 'Redis', log: pino({ enabled: false }), timeoutMs: 1_000 });
  const counting = sharedCounting({ counters: { count, endBan: async () => {} }, circuit }, true);
  const usage: Usage = emptyUsage(noon);
  const send = () => counting.count({ callerId: 'key:a', usage, quota, now: noon, rules });
  return { shared, circuit, usage, send };
}

/** The requests of the minute that each call handed over. */
function handedOver(calls: Call[]): number[] {
  return calls.map(({ unsynced }) => unsynced.minute);
}

/** Waits until the circuit is closed again. */
async function comeBack(circuit: Circuit): Promise<void> {
  while (!circuit.isClosed) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('each answer brings the requests that other processes counted', async () => {
  const { shared, usage, send } = createProcess();
  shared.usage.minuteUsed = 41;
  expect(await send()).toMatchObject({ outcome: 'allowed', remaining: 18 });
  expect(usage.minuteUsed).toBe(42);
});

test('requests counted while the counters were away are handed over once', async () => {
  const { shared, circuit, send } = createProcess();
  await send();
  shared.isAway = true;
  for (let request = 0; request < 5; request += 1) await send();
  shared.isAway = false;
  await comeBack(circuit);
  await Promise.all([send(), send(), send()]);
  // One before, the three that failed, then three: only the first of them hands over the five.
  expect(handedOver(shared.calls)).toEqual([0, 0, 1, 2, 5, 0, 0]);
});

test('requests handed over with calls that failed are handed over again', async () => {
  const { shared, circuit, send } = createProcess();
  circuit.open(new Error('away'));
  await Promise.all([send(), send()]);
  await comeBack(circuit);
  shared.isAway = true;
  await Promise.all([send(), send(), send()]);
  shared.isAway = false;
  await comeBack(circuit);
  await send();
  expect(handedOver(shared.calls)).toEqual([2, 0, 0, 5]);
});

/** A process whose shared counters answer only when told to, after the timeout of 20 ms. */
function createLateProcess() {
  const waiting: { call: Call; answer: PromiseWithResolvers<Count> }[] = [];
  const count = (_callerId: string, call: Call): Promise<Count> => {
    const answer = Promise.withResolvers<Count>();
    waiting.push({ call: { ...call, localUsage: { ...call.localUsage } }, answer });
    return answer.promise;
  };
  const circuit = new Circuit(async () => {}, { name: 'Redis', log: pino({ enabled: false }), timeoutMs: 20 });
  const counting = sharedCounting({ counters: { count, endBan: async () => {} }, circuit }, true);
  const usage: Usage = emptyUsage(noon);
  const send = () => counting.count({ callerId: 'key:a', usage, quota, now: noon, rules });
  return { waiting, usage, send };
}

test('a request whose answer is late is not handed over, because the counters count it when they continue', async () => {
  const { waiting, usage, send } = createLateProcess();
  const shared = { ...emptyUsage(noon), minuteUsed: 40, dayUsed: 40 };
  expect(await send()).toMatchObject({ outcome: 'allowed', remaining: 59 });
  waiting[0]?.answer.resolve({ now: noon, outcome: 'allowed', banStarted: false, usage: shared });
  await new Promise((resolve) => setImmediate(resolve));
  expect(usage.minuteUsed).toBe(40);
  void send();
  expect(waiting[1]?.call.unsynced).toEqual({ minute: 0, day: 0 });
});

test('a request whose answer is late is handed over if the connection is lost', async () => {
  const { waiting, send } = createLateProcess();
  await send();
  waiting[0]?.answer.reject(new Error('connection lost'));
  await new Promise((resolve) => setImmediate(resolve));
  void send();
  expect(waiting[1]?.call.unsynced).toEqual({ minute: 1, day: 1 });
});

/** A process whose counters do with each call what the test says; the calls are recorded. */
function createScriptedProcess(
  script: (index: number) => Promise<Count>,
  fallback?: (index: number) => Promise<Count>,
) {
  const log = pino({ enabled: false });
  const calls: Call[] = [];
  const guard = (answer: (index: number) => Promise<Count>) => {
    let index = 0;
    const count = (_callerId: string, call: Call): Promise<Count> => {
      calls.push(call);
      index += 1;
      return answer(index - 1);
    };
    return {
      counters: { count, endBan: async () => {} },
      circuit: new Circuit(async () => {}, { name: 'Redis', log, timeoutMs: 1_000 }),
    };
  };
  const first = guard(script);
  const counting = sharedCounting(first, true, fallback && guard(fallback));
  const usage = emptyUsage(noon);
  const send = (now = noon) => counting.count({ callerId: 'key:a', usage, quota, now, rules: undefined });
  return { calls, usage, send, circuit: first.circuit };
}

function answerOf(used: number, now = noon): Count {
  return { now, outcome: 'allowed', banStarted: false, usage: { ...emptyUsage(now), minuteUsed: used, dayUsed: used } };
}

/** Lets handlers of settled promises run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a late answer keeps the requests that this process counted alone meanwhile, and they are handed over', async () => {
  const late = Promise.withResolvers<Count>();
  const { calls, usage, send } = createScriptedProcess(async (index) => {
    if (index === 0) throw new LateCountError(late.promise);
    if (index <= 10) throw new Error('behind the late one');
    return answerOf(42);
  });
  await Promise.all(Array.from({ length: 11 }, () => send()));
  // Other processes counted 30.
  late.resolve(answerOf(31));
  await settle();
  expect(usage.minuteUsed).toBe(41);
  await send();
  expect(calls.at(-1)).toMatchObject({
    unsynced: { minute: 10, day: 10 },
    localUsage: { minuteUsed: 41, dayUsed: 41 },
  });
});

test('a request in flight is not part of what the next call says is known', async () => {
  const late = Promise.withResolvers<Count>();
  const { calls, usage, send } = createScriptedProcess(async (index) => {
    if (index === 1) throw new LateCountError(late.promise);
    return answerOf(index + 1);
  });
  await send();
  await send();
  expect(usage.minuteUsed).toBe(2);
  await send();
  expect(calls[2]).toMatchObject({ unsynced: { minute: 0, day: 0 }, localUsage: { minuteUsed: 1, dayUsed: 1 } });
});

test.each([
  ['is not handed over if the counters count it', undefined, 0],
  ['is handed over if they do not', new Error('cancelled'), 1],
])('a late request that is the first of its minute %s', async (_what, failure, expected) => {
  const late = Promise.withResolvers<Count>();
  const { calls, send } = createScriptedProcess(async (index) => {
    if (index === 1) throw new LateCountError(late.promise);
    return answerOf(1, noon - 60_000);
  });
  await send(noon - 60_000);
  await send();
  if (failure === undefined)
    late.resolve({ ...answerOf(1), usage: { ...emptyUsage(noon), minuteUsed: 1, dayUsed: 2 } });
  else late.reject(failure);
  await settle();
  await send();
  expect(calls[2]?.unsynced).toEqual({ minute: expected, day: expected });
});

test.each([
  ['either counts it', answerOf(1), 0],
  ['neither counts it', undefined, 1],
])('a request that is late in both counters is handed over unless %s', async (_what, answer, expected) => {
  const cancelled = () => new Promise<Count>((_resolve, reject) => setImmediate(() => reject(new Error('cancelled'))));
  const late = (promise: Promise<Count>) => Promise.reject(new LateCountError(promise));
  const { calls, send } = createScriptedProcess(
    (index) => (index === 0 ? late(cancelled()) : Promise.reject(new Error('away'))),
    () => late(answer === undefined ? cancelled() : Promise.resolve(answer)),
  );
  await send();
  await settle();
  await settle();
  await send();
  expect(calls[2]?.unsynced).toEqual({ minute: expected, day: expected });
});

test('a request that the first counters refuse and the fallback has late and does not count is handed over', async () => {
  const cancelled = Promise.withResolvers<Count>();
  const { calls, send } = createScriptedProcess(
    () => Promise.reject(new Error('away')),
    () => Promise.reject(new LateCountError(cancelled.promise)),
  );
  await send();
  cancelled.reject(new Error('cancelled'));
  await settle();
  await send();
  expect(calls[2]?.unsynced).toEqual({ minute: 1, day: 1 });
});

test('a request that the fallback counts while the first counters are late counts there once', async () => {
  const late = Promise.withResolvers<Count>();
  const { calls, usage, send } = createScriptedProcess(
    (index) => (index === 1 ? Promise.reject(new LateCountError(late.promise)) : Promise.resolve(answerOf(1 + index))),
    () => Promise.resolve(answerOf(2)),
  );
  await send();
  await send();
  await send();
  // The first counters know one of the two requests, and count the other one when they continue.
  expect(calls[3]?.localUsage.minuteUsed).toBe(1);
  late.resolve(answerOf(3));
  await settle();
  expect(usage.minuteUsed).toBe(3);
});

test('a request that the fallback has counted is not handed over if the first counters do not count it', async () => {
  const late = Promise.withResolvers<Count>();
  const { calls, send } = createScriptedProcess(
    (index) => (index === 0 ? Promise.reject(new LateCountError(late.promise)) : Promise.resolve(answerOf(2))),
    () => Promise.resolve(answerOf(1)),
  );
  await send();
  late.reject(new Error('cancelled'));
  await settle();
  await send();
  expect(calls[2]).toMatchObject({ unsynced: { minute: 0, day: 0 }, localUsage: { minuteUsed: 1, dayUsed: 1 } });
});

test('while both count, a request in flight in the first counters is not part of what these get', async () => {
  const late = Promise.withResolvers<Count>();
  const { calls, send, circuit } = createScriptedProcess(
    (index) => (index === 0 ? Promise.reject(new LateCountError(late.promise)) : Promise.resolve(answerOf(1))),
    (index) => Promise.resolve(answerOf(1 + index)),
  );
  circuit.open(new Error('away'));
  await comeBack(circuit);
  await send();
  await send();
  expect(calls.map(({ localUsage }) => localUsage.minuteUsed)).toEqual([0, 0, 0, 0]);
});

test('an answer keeps the requests that this process counted alone while it was under way', async () => {
  const answer = Promise.withResolvers<Count>();
  const { usage, send } = createScriptedProcess((index) =>
    index === 0 ? answer.promise : Promise.reject(new Error('away')),
  );
  const first = send();
  await send();
  answer.resolve(answerOf(41));
  await first;
  expect(usage.minuteUsed).toBe(42);
});

test('while both count, requests counted alone are handed over to one of them', async () => {
  const { calls, send, circuit } = createScriptedProcess(
    (index) => Promise.resolve(answerOf(index + 1)),
    () => Promise.reject(new Error('cancelled')),
  );
  circuit.open(new Error('away'));
  await Promise.all([send(), send()]);
  await comeBack(circuit);
  calls.length = 0;
  await send();
  const [first, second] = calls;
  expect(first).toMatchObject({ unsynced: { minute: 0 }, localUsage: { minuteUsed: 0 } });
  expect(second).toMatchObject({ unsynced: { minute: 2 }, localUsage: { minuteUsed: 2 } });
});

test('a request that only the fallback has late is handed over to the first counters, which do not count it', async () => {
  const late = Promise.withResolvers<Count>();
  const { calls, usage, send } = createScriptedProcess(
    (index) => (index === 0 ? Promise.reject(new Error('refused')) : Promise.resolve(answerOf(1 + index))),
    () => Promise.reject(new LateCountError(late.promise)),
  );
  await send();
  await send();
  expect(calls[2]).toMatchObject({ unsynced: { minute: 1 }, localUsage: { minuteUsed: 1 } });
  late.resolve(answerOf(1));
  await settle();
  expect(usage.minuteUsed).toBe(2);
});
