import { keysInTestMode } from '@contract-first/service';
import { readConfig } from '@contract-first/service/config';
import { startServer } from '@contract-first/service/start';
import * as testing from '@contract-first/testing/service/harness';
import { pino } from 'pino';
import { api } from '../src/operations/api.ts';

export type CallParts = testing.CallParts;
export type OperationId = keyof typeof api.contract.operations;
export type TestServer = testing.TestServer<OperationId>;
type Parts = Parameters<typeof startServer>[0];
export type Operations = NonNullable<Parts['operations']>;

const plans: Readonly<Record<string, object>> = api.contract.plans;
/** The plans with quotas of their own, the smallest first. */
export const quotas = Object.entries(plans)
  .flatMap(([plan, quota]) =>
    'perMinute' in quota && typeof quota.perMinute === 'number' ? [{ plan, perMinute: quota.perMinute }] : [],
  )
  .sort((one, other) => one.perMinute - other.perMinute);
const largest = quotas.at(-1);

/** What the calls of tests need of this API. */
export const apiFacts: testing.ApiFacts<OperationId> = {
  operations: api.contract.operations,
  securitySchemes: api.contract.securitySchemes,
  basePath: api.contract.basePath,
  ...(largest === undefined ? {} : { plan: largest.plan }),
};

// Tests of operations send keys, whatever the functions accept.
const verify = Object.fromEntries(Object.keys(api.verify).map((name) => [name, keysInTestMode]));

/** Starts the real server on a free port, with a new SQLite database. */
export async function startTestServer(parts: Pick<Parts, 'operations' | 'timeouts'> = {}): Promise<TestServer> {
  const { server } = await testing.startForTest(apiFacts, ({ databaseUrl, clock, write }) =>
    startServer({
      service: { ...api, verify },
      config: readConfig({ NODE_ENV: 'test', PORT: '0', DATABASE_URL: databaseUrl }),
      log: pino({ level: 'info' }, { write }),
      clock,
      ...parts,
      // Connections of `fetch` are idle after a test, so a stop need not wait for a last request on them.
      timeouts: { lastRequest: 0, ...parts.timeouts },
    }),
  );
  return server;
}
