import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { eventually } from '../../../testing/src/child.ts';
import { createLogOutput } from './log-output.ts';

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
  const output = createLogOutput(pipe, 1_000_000);
  const line = `${'x'.repeat(999)}\n`;
  for (let index = 0; index < 1_500; index += 1) output.write(line);
  const text = await readUntil(pipe, /"dropped":500,.*\n/);
  expect(text.split(line)).toHaveLength(1_001);
  output.write('more\n');
  await readUntil(pipe, /^more\n$/);
  expect(output.dropped()).toBe(500);
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
  expect(output.dropped()).toBe(0);
});

test('a full disk does not block: flush resolves after timeoutMs', async () => {
  const output = createLogOutput(openSync('/dev/full', 'w'));
  output.write('line\n');
  await output.flush(20);
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
  const read = () => {
    try {
      text += buffer.toString('utf8', 0, readSync(descriptor, buffer));
    } catch {
      // EAGAIN: no data yet.
    }
    return pattern.test(text);
  };
  await eventually(read, () => `${pattern} was not written.`);
  return text;
}
