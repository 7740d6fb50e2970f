import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { BanRules } from '../common/contract.ts';
import { Circuit } from './circuit.ts';
import { emptyUsage } from './count-request.ts';
import { countAsDatabase } from './counters-model-fixture.ts';
import { at, rules as banRules } from './limit-cases-fixture.ts';
import { NO_TIMEOUT, sharedCounting } from './shared-counting.ts';

const large = { perMinute: 10_000, perDay: 1_000_000 };

/** Processes that count one caller in the same counters, by a clock that stands still. */
function createProcesses(quota = large, rules: BanRules | undefined = banRules) {
  const clock = { now: at('12:00:10') };
  const shared = { row: emptyUsage(clock.now), calls: 0, isAway: false, quota };
  const start = () => {
    const circuit = new Circuit(async () => {}, {
      name: 'Redis',
      log: pino({ enabled: false }),
      timeoutMs: NO_TIMEOUT,
    });
    const counters = {
      async count(_caller: string, call: Parameters<typeof countAsDatabase>[1]) {
        shared.calls += 1;
        if (shared.isAway) throw new Error('away');
        return countAsDatabase(shared.row, call, clock.now);
      },
      endBan: async () => {},
    };
    const counting = sharedCounting({ counters, circuit }, true);
    const usage = emptyUsage(clock.now);
    const send = () => counting.count({ callerId: 'key:a', usage, quota: shared.quota, now: clock.now, rules });
    const sendAll = async (count: number) => {
      const verdicts = [];
      for (let sent = 0; sent < count; sent += 1) verdicts.push(await send());
      return verdicts;
    };
    return { send, sendAll, giveBack: () => counting.giveBack?.(clock.now, true), circuit };
  };
  return { clock, shared, start };
}

test('a busy caller needs few calls, and each response counts down by one', async () => {
  const { shared, start } = createProcesses();
  const verdicts = await start().sendAll(500);
  expect(verdicts.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 500 }, (_, index) => 9_999 - index));
  expect(shared.calls).toBeLessThan(30);
});

test('simultaneous requests of a busy caller do not wait for a new reservation', async () => {
  const { clock, shared, start } = createProcesses({ perMinute: 100_000, perDay: 10_000_000 });
  const { send, sendAll } = start();
  await sendAll(400);
  for (let round = 0; round < 40; round += 1) {
    clock.now += 100;
    const { calls } = shared;
    await Promise.all(Array.from({ length: 40 }, send));
    expect(shared.calls - calls).toBeLessThanOrEqual(3);
  }
});

test('after a pause of seconds, a busy caller needs one call again, and after half a minute its requests are counted one by one', async () => {
  const { clock, shared, start } = createProcesses({ perMinute: 100_000, perDay: 10_000_000 });
  const { send, sendAll } = start();
  const callsOf = async (pause: number) => {
    clock.now += pause;
    const { calls } = shared;
    await send();
    await sendAll(7);
    return shared.calls - calls;
  };
  await sendAll(400);
  expect(await callsOf(3_000)).toBe(1);
  expect(await callsOf(30_000)).toBe(8);
});

test('a caller with a small quota, or with few requests, is counted request by request', async () => {
  const small = createProcesses({ perMinute: 600, perDay: 10_000 });
  await small.start().sendAll(100);
  expect(small.shared.calls).toBe(100);
  const slow = createProcesses();
  const process = slow.start();
  for (let sent = 0; sent < 20; sent += 1) {
    await process.send();
    slow.clock.now += 400;
  }
  expect(slow.shared.calls).toBe(20);
});

test.each([1, 3])('%i processes together let exactly the quota pass', async (count) => {
  const { shared, start } = createProcesses({ perMinute: 3_000, perDay: 100_000 });
  const processes = Array.from({ length: count }, start);
  let allowed = 0;
  for (let round = 0; round < 4_000 / count; round += 1) {
    const verdicts = await Promise.all(processes.map(({ send }) => send()));
    allowed += verdicts.filter(({ outcome }) => outcome === 'allowed').length;
  }
  expect(allowed).toBe(3_000);
  expect(shared.calls).toBeLessThan(2_500);
});

test('what several processes did not use goes back, although each has heard of the reservations of the others', async () => {
  const { clock, shared, start } = createProcesses();
  const processes = [start(), start(), start()];
  let sent = 0;
  for (let round = 0; round < 20; round += 1) {
    for (const { sendAll, giveBack } of processes) {
      await sendAll(25);
      sent += 25;
      await giveBack();
    }
    clock.now += 1_000;
  }
  expect(shared.row.minuteUsed).toBe(sent);
  expect(shared.row.dayUsed).toBe(sent);
});

test('a process that ends without giving anything back costs the caller no more than a hundredth of what was left', async () => {
  const { shared, start } = createProcesses();
  await start().sendAll(400);
  expect(shared.row.minuteUsed).toBeGreaterThan(400);
  expect(shared.row.minuteUsed).toBeLessThanOrEqual(500);
});

test('requests of the next minute are not counted in advance, and what is left of the old minute is only given back to the day', async () => {
  const { clock, shared, start } = createProcesses();
  clock.now = at('12:00:59') + 500;
  const { sendAll, giveBack } = start();
  await sendAll(100);
  expect(shared.row.minuteUsed).toBeGreaterThan(100);
  clock.now = at('12:01:00');
  const [first] = await sendAll(1);
  expect(first).toMatchObject({ window: 'minute', remaining: 9_999 });
  await giveBack();
  expect(shared.row).toMatchObject({ minuteUsed: 1 });
  await sendAll(1);
  await giveBack();
  expect(shared.row).toMatchObject({ minuteUsed: 2, dayUsed: 102 });
});

test('reserved requests end with their second, with a lower quota, and if the clock is set back', async () => {
  const { clock, shared, start } = createProcesses();
  const { sendAll } = start();
  await sendAll(100);
  const { calls } = shared;
  clock.now += 1_000;
  await sendAll(1);
  expect(shared.calls).toBe(calls + 1);
  await sendAll(100);
  shared.quota = { perMinute: 50, perDay: 1_000_000 };
  expect(await sendAll(1)).toMatchObject([{ outcome: 'limited', limit: 50 }]);
  shared.quota = large;
  await sendAll(100);
  const { calls: before } = shared;
  clock.now -= 5_000;
  await sendAll(1);
  expect(shared.calls).toBeGreaterThan(before);
});

test('requests that failed calls were to reserve are not counted', async () => {
  const { shared, start } = createProcesses();
  const { sendAll, giveBack, circuit } = start();
  circuit.open = () => {};
  await sendAll(50);
  await giveBack();
  shared.isAway = true;
  await sendAll(50);
  shared.isAway = false;
  await sendAll(1);
  await giveBack();
  expect(shared.row.minuteUsed).toBe(101);
});

test('counters that lost everything get back nearly all that a process knows', async () => {
  const { shared, start } = createProcesses();
  const { sendAll, giveBack } = start();
  await sendAll(8_000);
  shared.row = emptyUsage(at('12:00:10'));
  await sendAll(200);
  await giveBack();
  // A tenth of what was left may have been given back by other processes.
  expect(shared.row.minuteUsed).toBeGreaterThan(8_200 - 220);
  expect(shared.row.minuteUsed).toBeLessThanOrEqual(8_200);
});

test('counters that take over from others, and those that are back, learn of all requests', async () => {
  const now = at('12:00:10');
  const rows = [emptyUsage(now), emptyUsage(now)];
  const away = [false, false];
  const [first, second] = rows.map((row, index) => {
    const circuit = new Circuit(async () => {}, {
      name: 'Redis',
      log: pino({ enabled: false }),
      timeoutMs: NO_TIMEOUT,
    });
    const count = async (_caller: string, call: Parameters<typeof countAsDatabase>[1]) => {
      if (away[index]) throw new Error('away');
      return countAsDatabase(row, call, now);
    };
    return { counters: { count, endBan: async () => {} }, circuit };
  });
  if (first === undefined || second === undefined) throw new Error('There are two.');
  const counting = sharedCounting(first, true, second);
  const usage = emptyUsage(now);
  const sendAll = async (count: number) => {
    const request = { callerId: 'key:a', usage, quota: large, now, rules: banRules };
    for (let sent = 0; sent < count; sent += 1) await counting.count(request);
    await counting.giveBack?.(now, true);
  };
  await sendAll(2_000);
  expect(rows[0]?.dayUsed).toBe(2_000);
  away[0] = true;
  await sendAll(3);
  expect(rows[1]?.dayUsed).toBe(2_003);
  await sendAll(600);
  expect(rows[1]?.dayUsed).toBe(2_603);
  away[0] = false;
  while (!first.circuit.isClosed) await new Promise((resolve) => setTimeout(resolve, 20));
  await sendAll(20);
  expect(rows.map((row) => row.dayUsed)).toEqual([2_623, 2_623]);
});
