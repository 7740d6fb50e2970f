import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { eventually } from '../../../testing/src/child.ts';
import { TimeoutError } from '../common/time.ts';
import { Circuit } from './circuit.ts';

/** Counters that answer, fail or never answer, behind a circuit with a timeout of 20 ms. */
function createCounters() {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const counters = { calls: 0, probed: 0, answer: (): Promise<string> => Promise.resolve('counted') };
  const probe = () => {
    counters.probed += 1;
    return counters.answer();
  };
  const circuit = new Circuit(probe, { name: 'Redis', log, timeoutMs: 20 });
  const call = () =>
    circuit.run(() => {
      counters.calls += 1;
      return counters.answer();
    });
  open.push(circuit);
  return { counters, circuit, call, lines };
}

const open: Circuit[] = [];
afterEach(() => {
  for (const circuit of open.splice(0)) circuit.end();
});

test('answers pass through a closed circuit', async () => {
  const { call, circuit, lines } = createCounters();
  expect(await call()).toBe('counted');
  expect(circuit.isClosed).toBe(true);
  expect(lines).toEqual([]);
});

test('one failure does not open it, and is logged once in a minute', async () => {
  const { counters, call, circuit, lines } = createCounters();
  for (let round = 0; round < 5; round += 1) {
    counters.answer = () => Promise.reject(new Error('a late answer'));
    // Concurrent calls fail together.
    await Promise.allSettled([call(), call(), call(), call()]);
    counters.answer = () => Promise.resolve('counted');
    expect(await call()).toBe('counted');
  }
  expect(circuit.isClosed).toBe(true);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('Redis could not count some requests; this process counted them');
  expect(lines[0]).toContain('a late answer');
});

test('three failures in a row open it: no further calls are made, and the reason is logged once', async () => {
  const { counters, call, circuit, lines } = createCounters();
  counters.answer = () => Promise.reject(new Error('the disk is full'));
  for (let failure = 0; failure < 3; failure += 1) await expect(call()).rejects.toThrow('the disk is full');
  for (let request = 0; request < 10; request += 1) await expect(call()).rejects.toThrow(TimeoutError);
  circuit.open(new Error('and the connection is lost'));
  expect(counters.calls).toBe(3);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the disk is full');
  expect(lines[0]).toContain('"msg":"Redis cannot count requests; until it can, this process counts its own"');
});

test('counters that never answer time out, and are probed one call at a time', async () => {
  const { counters, call, circuit } = createCounters();
  const silent = Promise.withResolvers<string>();
  counters.answer = () => silent.promise;
  for (let failure = 0; failure < 3; failure += 1) await expect(call()).rejects.toThrow('No answer within 20 ms.');
  await eventually(
    () => counters.probed === 1,
    () => 'No probe was sent.',
  );
  counters.answer = () => Promise.resolve('counted');
  // Longer than the interval between two probes.
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(counters.probed).toBe(1);
  silent.resolve('late');
  await eventually(
    () => circuit.isClosed,
    () => 'The circuit stays open.',
  );
  // The late answer does not count as a success; it took three more.
  expect(counters.probed).toBe(4);
});

test('an answer that arrives while the process is busy is not late', async () => {
  const { counters, call } = createCounters();
  counters.answer = () => new Promise((resolve) => setImmediate(() => resolve('counted')));
  const answer = call();
  const until = performance.now() + 60;
  while (performance.now() < until);
  expect(await answer).toBe('counted');
});
