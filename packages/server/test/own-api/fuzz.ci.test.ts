/** The fuzzer against the second API, whose operations answer the examples of their contract. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { operationsOf } from '../../../tooling/src/contract/document.ts';
import { without } from '../../../tooling/src/contract/parse.ts';
import { adopt } from '../../../tooling/src/effective/adopt.ts';
import { root } from '../../../tooling/src/project.ts';
import { failureText } from '../fuzz/run/failure.ts';
import { fuzz } from '../fuzz/run/run.ts';
import { createClient } from '../fuzz/target/sender.ts';
import { openSnapshots } from '../fuzz/target/snapshot.ts';
import { CONNECTIONS, type Target } from '../fuzz/target/target.ts';
import { startDocument } from '../second-contract/start-document.ts';

/** The same requests in every run, so that a failure is due to a change. */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_201);
const runs = Number(process.env['FUZZ_RUNS'] ?? 200);

const folder = mkdtempSync(join(tmpdir(), 'own-api-fuzz-'));
const { document: whole } = adopt(join(root, 'examples/own-contract/openapi.yaml'), 'harbour');
// The fuzzer generates no forms.
const forms = operationsOf(whole).filter(({ body }) =>
  Object.keys(body?.content ?? {}).some((type) => /form/.test(type)),
);
const document = without(
  whole,
  forms.map(({ method, path }) => `${method} ${path}`),
);
let target: Target | undefined;
beforeAll(async () => {
  const database = join(folder, 'harbour.db');
  const server = await startDocument(document, {}, `sqlite:${database}`);
  const { send, close } = createClient(server.origin, CONNECTIONS);
  const snapshots = openSnapshots(database);
  target = {
    ...{ url: server.origin, key: server.secret, database, send, snapshot: snapshots.take },
    [Symbol.asyncDispose]: async () => {
      close();
      snapshots.close();
      await server[Symbol.asyncDispose]();
    },
  };
});
afterAll(async () => {
  await target?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test.each(operationsOf(document).map(({ operation }) => operation.operationId))(
  `%s answers ${runs} generated requests as the contract promises`,
  async (id) => {
    if (target === undefined) throw new Error('The server did not start.');
    const { requests, accepted, failures } = await fuzz(
      target,
      id,
      { runs, seed },
      JSON.parse(JSON.stringify(document)),
    );
    expect(failures.map(failureText).join('\n\n')).toBe('');
    expect(requests).toBeGreaterThanOrEqual(runs);
    // If no request is accepted, refusals prove nothing.
    expect(accepted).toBeGreaterThan(0);
  },
);
