import { pino } from 'pino';
import { type Contract, isKeyScheme } from '../../../service/src/common/facts.ts';
import { readConfig } from '../../../service/src/config/config.ts';
import type { AnyOperations } from '../../../service/src/openapi/operation.ts';
import { keysInTestMode } from '../../../service/src/openapi/security.ts';
import { type ServerParts, startServer } from '../../../service/src/start.ts';
import type { StoreTypes } from '../../../service/src/storage/storage.ts';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { generateConstants } from '../../../tooling/src/generate/constants.ts';
import { api as notes } from './operations.ts';

/** A completed contract as the service gets it: with the constants that are generated from it. */
export function contractOf(document: ContractDocument): Contract {
  const constants = generateConstants(document).matchAll(/^export const (\w+) = ([\s\S]*?)(?: as const)?;$/gm);
  const values = Object.fromEntries([...constants].map(([, name, value = '']) => [name, JSON.parse(value)]));
  return { ...values, version: document.info.version, json: JSON.stringify(document) };
}

const MEMORY = 'sqlite::memory:';

/** `origin` is without the base path of the contract, and `secret` is an API key with every scope. */
type Started = AsyncDisposable & { origin: string; secret: string };

type StartedDocument = Started & {
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
): Promise<StartedDocument> {
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

/**
 * Starts a server of any contract in this process.
 * @param settings as in the environment
 */
export async function startService<Store extends StoreTypes>(
  service: ServerParts<Store>['service'],
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const environment = { NODE_ENV: 'test', PORT: '0', DATABASE_URL: databaseUrl };
  const config = readConfig({ ...environment, ...settings });
  const server = await startServer({ service, config, log: pino({ level: 'silent' }), timeouts: { lastRequest: 0 } });
  const create = () => server.keys.create({ plan: 'business' });
  // Twice: on a busy machine, the first connection may take longer than a server waits for one.
  const { secret } = await create().catch(create);
  return {
    origin: `http://127.0.0.1:${server.port}`,
    secret,
    [Symbol.asyncDispose]: async () => void (await server.stop()),
  };
}
