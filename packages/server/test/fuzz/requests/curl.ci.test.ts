import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseResponse } from '../../../../testing/src/service/raw-response.ts';
import { contractDocument } from '../../contract.ts';
import { judge } from '../run/judge.ts';
import { prepare, startTarget, type Target } from '../target/target.ts';
import { fuzzedOperations } from './contract.ts';
import { curlLine } from './curl.ts';
import { kindsOf } from './kinds.ts';
import { toHttp } from './request.ts';

const operations = fuzzedOperations(contractDocument);
let target: Target;
let folder: string;
beforeAll(async () => {
  target = await startTarget();
  folder = await mkdtemp(join(tmpdir(), 'animal-store-curl-'));
  await mkdir(join(folder, 'data'));
  // The path of the key file of `npm start`, relative to the project folder.
  await writeFile(join(folder, 'data/animal-store.development-key'), target.key);
});
afterAll(async () => {
  await target[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** The output of curl if the line is pasted into a shell. */
async function paste(line: string) {
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: folder });
  return parseResponse(stdout);
}

test.each(operations.map((operation) => [operation.id, operation] as const))(
  '%s: the curl line of each kind of request, pasted into sh, gets the expected response',
  async (_, operation) => {
    const kinds = kindsOf(operation, await prepare(target, operations, operation));
    for (const kind of kinds) {
      for (const parts of fc.sample(kind.requests, { numRuns: 1, seed: 7 })) {
        const request = toHttp(operation, parts);
        const line = curlLine(request, { base: target.url });
        expect([line, judge(operation, request, kind.promised, await paste(line))]).toEqual([line, []]);
      }
    }
  },
);

test.each(["Mia's", 'Zoë 🐈', '$HOME `id` "x" \\n \\0101 %s', '!', ''.padEnd(255, '\\')])(
  'a body reaches the server byte for byte: %j',
  async (name) => {
    const headers: [string, string][] = [['Content-Type', 'application/json']];
    const body = JSON.stringify({ name, categoryId: 1 });
    const line = curlLine({ method: 'POST', target: '/v1/pets', headers, body }, { base: target.url });
    const { status, text } = await paste(line);
    expect([status, JSON.parse(text).name]).toEqual([201, name]);
  },
);
