import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createLogOutput, createTerminalFormat } from './log-output.ts';

const folder = mkdtempSync(join(tmpdir(), 'field-notes-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('lines are written in order, each of them whole', async () => {
  const path = join(folder, 'log');
  const output = createLogOutput(openSync(path, 'w'));
  const lines = Array.from({ length: 1_000 }, (_, index) => `${index} ü\n`);
  for (const line of lines) output.write(line);
  await output.flush(10_000);
  expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
});

test('an unread pipe uses no more memory than allowed; once it is read again, the log says how many lines are missing', async () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  // Opening the pipe for reading and writing does not wait for another process.
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const output = createLogOutput(pipe, { maxBuffered: 1_000_000 });
  const line = `${'x'.repeat(999)}\n`;
  for (let index = 0; index < 1_500; index += 1) output.write(line);
  const text = await readUntil(pipe, /"dropped":500,.*\n/);
  expect(text.split(line)).toHaveLength(1_001);
  output.write('more\n');
  await readUntil(pipe, /^more\n$/);
  expect(output.dropped).toEqual({ errors: 0, others: 500 });
});

test('errors are logged even if the buffer is full, and errors that exceed their own buffer are counted', async () => {
  const path = join(folder, 'pipe-for-errors');
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const output = createLogOutput(pipe, { maxBuffered: 100_000 });
  const log = pino({}, output);
  for (let index = 0; index < 1_000; index += 1) log.info('x'.repeat(1_000));
  for (let index = 0; index < 1_000; index += 1) log.error({ index }, 'y'.repeat(1_000));
  expect(output.dropped).toEqual({ errors: 0, others: expect.any(Number) });
  expect(output.dropped.others).toBeGreaterThan(800);
  for (let index = 0; index < 10_000; index += 1) log.fatal('z'.repeat(1_000));
  expect(output.dropped.errors).toBeGreaterThan(1_000);
  const text = await readUntil(pipe, /"dropped":.*\n/);
  expect([...text.matchAll(/^\{"level":50,.*"index":(\d+)/gm)].map(([, index]) => Number(index))).toEqual([
    ...Array(1_000).keys(),
  ]);
});

test('a pipe that is read loses none of the 20 MB of lines that a busy server logs in two seconds', async () => {
  const path = join(folder, 'busy-pipe');
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const output = createLogOutput(pipe);
  const line = `${'x'.repeat(499)}\n`;
  for (let turn = 0; turn < 400; turn += 1) {
    for (let index = 0; index < 100; index += 1) output.write(line);
    await setTimeout(5);
    readAll(pipe);
  }
  expect(output.dropped).toEqual({ errors: 0, others: 0 });
});

test('a full disk does not block: flush resolves after timeoutMs', async () => {
  const output = createLogOutput(openSync('/dev/full', 'w'));
  output.write('line\n');
  await output.flush(20);
});

describe('in a terminal', () => {
  const request = { requestId: 'r-1', method: 'GET', path: '/v1/notes/7', operation: 'getNote' };

  /** The terminal output of one log call. */
  async function shown(logSomething: (log: pino.Logger) => void): Promise<string> {
    const format = await createTerminalFormat(false);
    const lines: string[] = [];
    logSomething(pino({}, { write: (line: string) => void lines.push(format?.(line) ?? '') }));
    return lines.join('');
  }

  test('a request is one line with its time, level, method, path, status, duration, operation, key and request ID', async () => {
    const line = { ...request, status: 404, code: 'note_not_found', keyId: 'key_1', ms: 3.2 };
    expect(await shown((log) => log.info(line, 'request'))).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: GET \/v1\/notes\/7 404 note_not_found 3\.2 ms getNote key_1 r-1 *\n$/,
    );
  });

  test('an error is shown with its request and a stack of several lines, whose paths are relative', async () => {
    const err = new Error('no such table');
    const file = new URL('../../../server/src/operations/getNote.ts', import.meta.url);
    err.stack = `Error: no such table\n    at getNote (${file}:5:9)\n    at node:internal/timers:1:2`;
    const text = await shown((log) => log.error({ err, ...request }, 'request failed'));
    expect(text).toMatch(/ERROR: request failed GET \/v1\/notes\/7 getNote r-1/);
    expect(text).toMatch(
      /\n +Error: no such table\n +at getNote \(packages\/server\/src\/operations\/getNote\.ts:5:9\)\n +at /,
    );
  });

  test('a control character in a path is escaped, so that no caller can write to the terminal', async () => {
    expect(await shown((log) => log.info({ ...request, path: '/\u001b[2J' }, 'request'))).not.toContain('\u001b');
  });
});

/** Reads what the pipe holds. */
function readAll(descriptor: number): void {
  const buffer = Buffer.alloc(65_536);
  try {
    while (readSync(descriptor, buffer) > 0);
  } catch {
    // EAGAIN: it is empty.
  }
}

/** Reads until the text matches. */
async function readUntil(descriptor: number, pattern: RegExp): Promise<string> {
  let text = '';
  const buffer = Buffer.alloc(65_536);
  while (!pattern.test(text)) {
    try {
      text += buffer.toString('utf8', 0, readSync(descriptor, buffer));
    } catch {
      // EAGAIN: no data yet.
    }
    await new Promise(setImmediate);
  }
  return text;
}
