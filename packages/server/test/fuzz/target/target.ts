import { sandboxOperations } from '../../../src/operations/sandbox.ts';
import { startTestServer, temporaryDatabase } from '../../harness.ts';
import type { FuzzedOperation } from '../requests/contract.ts';
import { type HttpRequest, toHttp } from '../requests/request.ts';
import { type GivenValues, opaqueParameters } from '../requests/valid.ts';
import { createClient, type HttpResponse, type Sender } from './sender.ts';
import { openSnapshots } from './snapshot.ts';

/** A server that is fuzzed. */
export type Target = {
  /** A key whose quota is never exceeded. */
  key: string;
  /** A key with the scope read. */
  readKey: string;
  send: (request: HttpRequest, sender: Sender) => Promise<HttpResponse>;
  /** A text that stays the same only if nothing was written. */
  snapshot: () => string;
  [Symbol.asyncDispose]: () => Promise<void>;
};

const UNLIMITED = 1_000_000_000;

/** The real server with a new database file, and a client for it. Operations that control a sandbox need sandboxes. */
export async function startTargetFor(operation: string): Promise<Target> {
  const database = await temporaryDatabase();
  const config = { trustProxy: 1, sandboxes: sandboxOperations.some((id) => id === operation) };
  const server = await startTestServer({ databaseUrl: database.url, config });
  const limits = { perMinute: UNLIMITED, perDay: UNLIMITED };
  const { secret: key } = await server.keys.create({ plan: 'enterprise', ...limits });
  const reading = { plan: 'enterprise', scope: 'read', ...limits } as const;
  const { secret: readKey } = await server.keys.create(reading);
  const client = createClient(server.url);
  const snapshots = openSnapshots(database.path);
  return {
    key,
    readKey,
    send: client.send,
    snapshot: snapshots.take,
    [Symbol.asyncDispose]: async () => {
      client.close();
      snapshots.close();
      await server.stop();
      await database.remove();
    },
  };
}

/**
 * Adds the contract's examples to a server a few times, so that requests find data. Also collects values that only the
 * API can assign, such as the cursor in the `Link` of the fuzzed operation, which no other operation accepts.
 */
export async function prepare(
  target: Pick<Target, 'send' | 'key'>,
  operations: readonly FuzzedOperation[],
  fuzzed: FuzzedOperation,
): Promise<GivenValues> {
  const call = (operation: FuzzedOperation, query: [string, string][], example?: unknown, contentType?: string) => {
    const { method } = operation;
    const body = contentType === undefined ? undefined : { json: example };
    const request = toHttp(operation, { method, path: {}, query, headers: [], body, contentType });
    return target.send(request, { key: target.key });
  };
  const plain = operations.filter(({ parameters }) => !parameters.some(({ required }) => required));
  for (let round = 1; round <= 3; round += 1) {
    for (const operation of plain) {
      for (const { type, examples } of operation.body?.media ?? []) {
        for (const example of examples) await call(operation, [], example, type);
      }
    }
  }
  const given = new Map<string, string[]>();
  if (fuzzed.method !== 'GET' || !plain.includes(fuzzed)) return given;
  const isPaged = fuzzed.parameters.some(({ name }) => name === 'limit');
  if (!isPaged) return given;
  const { headers } = await call(fuzzed, [['limit', '1']]);
  for (const [name, value] of nextPage(headers)) {
    const where = `query/${name}`;
    if (opaqueParameters.has(where)) given.set(where, [value]);
  }
  return given;
}

function nextPage(headers: Headers): [name: string, value: string][] {
  const [, url] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return url === undefined ? [] : [...new URL(url).searchParams];
}
