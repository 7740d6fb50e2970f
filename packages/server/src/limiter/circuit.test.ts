import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { eventually } from '../../../../scripts/testing/child.ts';
import { TimeoutError } from '../common/with-timeout.ts';
import { Circuit } from './circuit.ts';

/** Counters that answer, fail or are silent, as a test says, behind a circuit that waits for them 20 ms. */
function createCounters() {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const counters = { asked: 0, probed: 0, answer: (): Promise<string> => Promise.resolve('counted') };
  const probe = () => {
    counters.probed += 1;
    return counters.answer();
  };
  const circuit = new Circuit(probe, { log, timeoutMs: 20 });
  const ask = () =>
    circuit.ask(() => {
      counters.asked += 1;
      return counters.answer();
    });
  open.push(circuit);
  return { counters, circuit, ask, lines };
}

const open: Circuit[] = [];
afterEach(() => {
  for (const circuit of open.splice(0)) circuit.end();
});

test('answers pass through', async () => {
  const { ask, circuit, lines } = createCounters();
  expect(await ask()).toBe('counted');
  expect(circuit.isUp).toBe(true);
  expect(lines).toEqual([]);
});

test('after one failure nobody is asked, and the log has its reason, once', async () => {
  const { counters, ask, circuit, lines } = createCounters();
  counters.answer = () => Promise.reject(new Error('the disk is full'));
  await expect(ask()).rejects.toThrow('the disk is full');
  for (let request = 0; request < 10; request += 1) await expect(ask()).rejects.toThrow(TimeoutError);
  circuit.fail(new Error('and the connection is lost'));
  expect(counters.asked).toBe(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the disk is full');
});

test('who never answers is given up, and probed one at a time', async () => {
  const { counters, ask, circuit } = createCounters();
  const silent = Promise.withResolvers<string>();
  counters.answer = () => silent.promise;
  await expect(ask()).rejects.toThrow('No answer within 20 ms.');
  await eventually(
    () => counters.probed === 1,
    () => 'Nobody probed.',
  );
  counters.answer = () => Promise.resolve('counted');
  // Longer than from one probe to the next.
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(counters.probed).toBe(1);
  silent.resolve('late');
  await eventually(
    () => circuit.isUp,
    () => 'It does not come back.',
  );
  // The late one was none; three in a row were.
  expect(counters.probed).toBe(4);
});

test('an answer that came while the process was busy is not late', async () => {
  const { counters, ask } = createCounters();
  counters.answer = () => new Promise((resolve) => setImmediate(() => resolve('counted')));
  const asked = ask();
  const until = performance.now() + 60;
  while (performance.now() < until);
  expect(await asked).toBe('counted');
});
