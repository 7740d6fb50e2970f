import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { basePath, type OperationId, type Plan } from '@animal-store/contract';
import { pino } from 'pino';
import { type Config, readConfig } from '../../service/src/config/config.ts';
import type { Route } from '../../service/src/openapi/compiled-contract.ts';
import { createResponseCheck } from '../../service/src/openapi/response-check.ts';
import { type RunningServer, type ServerParts, startServer } from '../../service/src/start.ts';
import * as generic from '../../testing/src/service/harness.ts';
import { type CallParts, NOON, type TestResponse, temporaryDatabase } from '../../testing/src/service/harness.ts';
import { api } from '../src/operations/api.ts';
import { operations } from '../src/operations/index.ts';
import type { Operations } from '../src/operations/operation.ts';
import type { PetStore } from '../src/operations/storage/store.ts';
import { compiled, operationFacts, routeOf } from './contract.ts';

export { type CallParts, NOON, type TestResponse, temporaryDatabase };

export type TestServer = Omit<generic.TestServer<OperationId, RunningServer>, 'createKey'> & {
  /** The port of the metrics; undefined if they are off. */
  metricsPort: number | undefined;
  createKey: (plan?: Plan) => Promise<string>;
};

/** What the calls of tests need of this API. */
export const apiFacts: generic.ApiFacts<OperationId> = {
  operations: operationFacts,
  basePath,
  // The business plan.
  plan: 'business',
  onResponse: (id, { status, headers, text }) => recordResponse(id, status, headers, text),
};

export type TestOptions = Partial<Omit<ServerParts<PetStore>, 'operations' | 'config' | 'log' | 'clock'>> & {
  operations?: Operations;
  config?: Partial<Config>;
  /** A database that outlives the server; see temporaryDatabase. */
  databaseUrl?: string;
  /** The server's time at its start. */
  now?: number;
};

/** Makes the URL of a new database for each server whose test names none. Undefined makes a new file of SQLite. */
let newDatabase: (() => Promise<string>) | undefined;

/** Runs the tests that follow on another engine. */
export function useDatabases(make: () => Promise<string>): void {
  newDatabase = make;
}

/** Starts the real server on a free port, with a new database unless one is given. */
export async function startTestServer({
  config,
  databaseUrl,
  now,
  timeouts,
  ...parts
}: TestOptions = {}): Promise<TestServer> {
  const { running, server } = await generic.startForTest(
    apiFacts,
    (setup) =>
      startServer({
        service: api,
        config: { ...readConfig({ NODE_ENV: 'test', PORT: '0', DATABASE_URL: setup.databaseUrl }), ...config },
        log: pino({ level: 'info' }, { write: setup.write }),
        clock: setup.clock,
        ...parts,
        // Connections of `fetch` are idle after a test, so a stop need not wait for a last request on them.
        timeouts: { lastRequest: 0, ...timeouts },
      }),
    { databaseUrl: databaseUrl ?? (await newDatabase?.()), now },
  );
  return { ...server, metricsPort: running.metricsPort };
}

/** Starts a server whose listPets waits until `answer` is called. */
export async function startSlowServer(options: TestOptions = {}): Promise<TestServer & { answer: () => void }> {
  const gate = Promise.withResolvers<void>();
  const listPets: typeof operations.listPets = async (call) => {
    await gate.promise;
    return operations.listPets(call);
  };
  const server = await startTestServer({ ...options, operations: { ...operations, listPets } });
  return { ...server, answer: gate.resolve };
}

/** Resolves when Node has parsed the headers of that many further requests in this process. */
export function requestsParsed(count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const decrement = () => {
      left -= 1;
      if (left > 0) return;
      unsubscribe('http.server.request.start', decrement);
      resolve();
    };
    subscribe('http.server.request.start', decrement);
  });
}

/** Calls an operation over HTTP, and records the status for the check that every documented response is tested. */
export function callOperation(
  base: string,
  defaultKey: string,
  id: OperationId,
  parts: CallParts,
): Promise<TestResponse> {
  return generic.callOperation(apiFacts, base, defaultKey, id, parts);
}

/** The first media type of the request body of an operation. */
export function mediaTypeOf(id: OperationId): string {
  return generic.mediaTypeOf(operationFacts[id]);
}

/** The URL of an operation on a server. */
export function urlOf(base: string, id: OperationId, parts: CallParts): string {
  return generic.urlOf(apiFacts, base, id, parts);
}

const { check } = createResponseCheck(compiled);

/** Checks a response against the contract, from outside the server. Throws if they differ. */
export function checkResponse(route: Route, status: number, headers: Headers, text: string): void {
  const ofContract = [...headers].filter(([name]) => !connectionHeaders.has(name));
  const contentType = headers.get('content-type')?.split(';')[0];
  // A stream without items has an empty body, and a media type.
  const body = text === '' && contentType === undefined ? undefined : text;
  check(route, { status, headers: {}, body, contentType }, Object.fromEntries(ofContract));
}

/** Checks a response, and records that a test received it from this operation. */
export function recordResponse(id: OperationId, status: number, headers: Headers, text: string): void {
  checkResponse(routeOf(id), status, headers, text);
  const file = process.env['CONTRACT_FIRST_SEEN_RESPONSES'];
  const pair = `${id} ${status}`;
  if (file === undefined || recorded.has(pair)) return;
  recorded.add(pair);
  appendFileSync(file, `${pair}\n`);
}

/** The responses that this test file has already recorded, so that each is written only once. */
const recorded = new Set<string>();

/** Headers that belong to the connection, not to the response. */
const connectionHeaders = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding']);

/** A value for Idempotency-Key. */
export function newIdempotencyKey(): string {
  return randomUUID();
}
