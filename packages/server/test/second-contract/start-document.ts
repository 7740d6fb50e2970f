import { pino } from 'pino';
import type { Contract } from '../../../service/src/common/contract.ts';
import { readConfig } from '../../../service/src/config/config.ts';
import type { AnyOperations } from '../../../service/src/contract/operation.ts';
import { startServer } from '../../../service/src/start.ts';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { generateConstants } from '../../../tooling/src/generate/constants.ts';
import { api as notes } from './operations/api.ts';

type Started = AsyncDisposable & {
  origin: string;
  /** Calls with a POST if there is a body. Returns the status, and the body, which is parsed if it is JSON. */
  send: (path: string, body?: object, key?: string) => Promise<[number, unknown]>;
};

/**
 * Starts a server of a contract in development, with the key that it makes for itself.
 * @param operations those that the contract does not have are left out
 */
export async function startDocument(document: ContractDocument, operations: AnyOperations = {}): Promise<Started> {
  const constants = [...generateConstants(document).matchAll(/export const (\w+) = ([\s\S]*?)(?: as const)?;\n/g)];
  const facts = Object.fromEntries(constants.map(([, name, value = '']) => [name, JSON.parse(value)]));
  const contract: Contract = { ...facts, version: document.info.version, json: JSON.stringify(document) };
  const settings = { NODE_ENV: 'development', DATABASE_URL: 'sqlite::memory:', VALIDATE_RESPONSES: 'true' };
  const implemented = Object.fromEntries(
    Object.entries(operations).filter(([id]) => Object.hasOwn(contract.operations, id)),
  );
  const server = await startServer({
    service: { ...notes, operations: implemented, contract },
    config: readConfig({ ...settings, PORT: '0' }),
    log: pino({ level: 'silent' }),
    timeouts: { lastRequest: 0 },
  });
  const secret = await server.developmentKey();
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
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
