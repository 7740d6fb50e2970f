import { pino } from 'pino';
import { isKeyScheme } from '../../../service/src/common/facts.ts';
import { readConfig } from '../../../service/src/config/config.ts';
import type { AnyOperations } from '../../../service/src/openapi/operation.ts';
import { keysInTestMode } from '../../../service/src/openapi/security.ts';
import { startServer } from '../../../service/src/start.ts';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { contractOf } from './contract-of.ts';
import { api as notes } from './operations/api.ts';

const MEMORY = 'sqlite::memory:';

type Started = AsyncDisposable & {
  origin: string;
  /** The key that the server made for itself. */
  secret: string;
  /** Calls with a POST if there is a body. Returns the status, and the body, which is parsed if it is JSON. */
  send: (path: string, body?: object, key?: string) => Promise<[number, unknown]>;
};

/**
 * Starts a server of a contract in development, with the key that it makes for itself.
 * Security schemes that need a function take that key, too.
 *
 * @param operations those that the contract does not have are left out
 */
export async function startDocument(
  document: ContractDocument,
  operations: AnyOperations = {},
  databaseUrl = MEMORY,
): Promise<Started> {
  const contract = contractOf(document);
  const settings = { NODE_ENV: 'development', DATABASE_URL: databaseUrl, VALIDATE_RESPONSES: 'true' };
  const implemented = Object.fromEntries(
    Object.entries(operations).filter(([id]) => Object.hasOwn(contract.operations, id)),
  );
  const schemes = Object.entries(contract.securitySchemes).filter(([, scheme]) => !isKeyScheme(scheme));
  const verify = Object.fromEntries(schemes.map(([name]) => [name, keysInTestMode]));
  const server = await startServer({
    service: { ...notes, operations: implemented, contract, verify },
    config: readConfig({ ...settings, PORT: '0' }),
    log: pino({ level: 'silent' }),
    timeouts: { lastRequest: 0 },
  });
  const [plan] = Object.keys(contract.plans);
  // In Jest, a file that is missing is an error of another realm, so that key cannot be read from a folder.
  const create = () => server.keys.create(plan === undefined ? {} : { plan });
  const secret = databaseUrl === MEMORY ? await server.developmentKey() : (await create()).secret;
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    secret,
    async send(path, body, key = secret) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(origin + path, { headers, redirect: 'manual', ...sent });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      return [response.status, isJson ? JSON.parse(text) : text];
    },
    [Symbol.asyncDispose]: async () => void (await server.stop()),
  };
}
