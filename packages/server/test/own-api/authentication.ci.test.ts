import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { readConfig } from '../../../service/src/config/config.ts';
import type { AnyOperations } from '../../../service/src/openapi/operation.ts';
import { keysInTestMode, type Verify } from '../../../service/src/openapi/security.ts';
import { type RunningServer, startServer } from '../../../service/src/start.ts';
import { effectiveContract } from '../../../tooling/src/effective/effective.ts';
import { contractOf } from '../second-contract/start.ts';
import { storeDefinition } from '../second-contract/storage.ts';

/** A contract with each kind of security scheme, and operations that ask for them. The name of a path is that of its operation. */
const secured = (security: object[] | undefined) => ({
  responses: {
    200: {
      description: 'The caller.',
      content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
    },
  },
  ...(security === undefined ? {} : { security }),
});
const operations: Record<string, ReturnType<typeof secured>> = {
  berths: secured(undefined),
  changes: secured([{ oauth: ['berths:write', 'berths:read'] }]),
  partner: secured([{ partner: ['partners'] }]),
  device: secured([{ device: [] }]),
  optional: secured([{}, { oauth: ['berths:read'] }]),
  perhaps: secured([{}, { partner: [] }]),
  open: secured([]),
};
const given = {
  openapi: '3.1.0',
  info: { title: 'Marina', version: '1' },
  'x-rate-limits': {
    plans: { standard: { title: 'Standard', perMinute: 1000, perDay: 100_000 } },
    anonymous: { perMinute: 60, perDay: 1000 },
  },
  servers: [{ url: 'https://marina.example' }],
  security: [{ oauth: ['berths:read'] }],
  paths: {
    ...Object.fromEntries(
      Object.entries(operations).map(([id, operation]) => [`/${id}`, { get: { operationId: id, ...operation } }]),
    ),
    '/orders': {
      post: {
        ...{ operationId: 'order', ...operations['optional'] },
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }],
      },
    },
  },
  components: {
    securitySchemes: {
      oauth: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl: 'https://login.example',
            scopes: { 'berths:read': 'Read.', 'berths:write': 'Write.' },
          },
        },
      },
      partner: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      device: { type: 'openIdConnect', openIdConnectUrl: 'https://login.example' },
    },
  },
};

const contract = contractOf(effectiveContract(JSON.parse(JSON.stringify(given)), 'marina').document);
const calls: string[] = [];
const tokens: Record<string, string[]> = { reader: ['berths:read'], writer: ['berths:read', 'berths:write'] };
const verifyToken: Verify = async (token, scopes, { signal }) => {
  calls.push(`${token} ${scopes.join('+')}`);
  if (token === 'broken') throw new Error(`The provider does not know ${token}`);
  if (token === 'nameless') return { id: '' };
  if (token === 'gold') return { id: 'u', plan: 'gold', scopes: tokens['reader'] };
  if (token === 'hanging') return new Promise(() => signal.addEventListener('abort', () => calls.push('aborted')));
  const granted = tokens[token];
  return granted && { id: 'user-1', scopes: granted, tenant: 'north' };
};
const verify: Record<string, Verify> = { oauth: verifyToken, device: keysInTestMode };

const whoCalls: AnyOperations = Object.fromEntries(
  [...Object.keys(operations), 'order'].map((id) => [
    id,
    async ({ caller, query }) => ({ status: 200, body: { caller: caller && { ...caller, createdAt: 0 }, query } }),
  ]),
);

let log = '';
type Running = {
  server: RunningServer;
  key: string;
  get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
};
type Answer = {
  status: number;
  headers: Headers;
  body: { caller: { id: string; scope: string }; query: unknown; code: string; message: string };
};

async function start(functions = verify, settings: Record<string, string> = {}): Promise<Running> {
  const config = readConfig({ NODE_ENV: 'test', PORT: '0', DATABASE_URL: 'sqlite::memory:', ...settings });
  const service = {
    contract,
    operations: whoCalls,
    verify: functions,
    store: storeDefinition,
    folder: new URL('../second-contract/generated/', import.meta.url),
  };
  const server = await startServer({
    service,
    config,
    log: pino(
      { level: 'info' },
      {
        write: (line) => {
          log += line;
        },
      },
    ),
    timeouts: { lastRequest: 0 },
  });
  const { secret } = await server.keys.create({ plan: 'standard' });
  return {
    server,
    key: secret,
    async get(path, headers = {}) {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
  };
}

let running: Running;
beforeAll(async () => {
  running = await start();
});
afterAll(async () => void (await running.server.stop()));

const get = (...sent: Parameters<Running['get']>) => running.get(...sent);
const challengeOf = ({ headers }: Answer) => headers.get('www-authenticate');

describe('a scheme with a function', () => {
  test('gives the operation the caller, with what the function returned', async () => {
    const { status, body } = await get('/berths', { authorization: 'Bearer reader' });
    expect([status, body.caller]).toEqual([
      200,
      {
        id: 'oauth:user-1',
        plan: 'standard',
        scope: 'berths:read',
        createdAt: 0,
        verified: { id: 'user-1', scopes: ['berths:read'], tenant: 'north' },
      },
    ]);
    expect(calls.at(-1)).toBe('reader berths:read');
    expect(log).toContain('"keyId":"oauth:user-1"');
  });

  test('counts by the caller', async () => {
    const left = async (token: string) =>
      Number((await get('/berths', { authorization: `Bearer ${token}` })).headers.get('x-ratelimit-remaining'));
    expect((await left('reader')) - (await left('writer'))).toBe(1);
  });

  test.each([
    [
      'nothing',
      {},
      'Bearer realm="second-contract"',
      'This operation requires credentials. Send them as "Authorization: Bearer <TOKEN>".',
    ],
    [
      'an unknown token',
      { authorization: 'Bearer nobody' },
      'Bearer realm="second-contract", error="invalid_token"',
      'The credentials are not valid. Check',
    ],
    [
      'another scheme',
      { authorization: 'Basic YTpi' },
      'Bearer realm="second-contract"',
      'This operation requires credentials.',
    ],
    [
      'two tokens',
      { authorization: 'Bearer reader, Bearer writer' },
      'Bearer realm="second-contract", error="invalid_token"',
      'not valid',
    ],
  ])('refuses %s with 401', async (_, headers: Record<string, string>, challenge, message) => {
    const answer = await get('/berths', headers);
    expect([answer.status, challengeOf(answer)]).toEqual([401, challenge]);
    expect(answer.body.message).toContain(message);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('60');
  });

  test('refuses a caller who lacks a scope with 403, which names it', async () => {
    const answer = await get('/changes', { authorization: 'Bearer reader' });
    expect([answer.status, challengeOf(answer)]).toEqual([
      403,
      'Bearer realm="second-contract", error="insufficient_scope", scope="berths:write berths:read"',
    ]);
    expect(answer.body.message).toBe(
      'This operation requires the berths:write scope, but these credentials have the berths:read scope. Use credentials with the berths:write scope.',
    );
    expect((await get('/changes', { authorization: 'Bearer writer' })).status).toBe(200);
  });

  test('answers 503 if the function fails, and logs the reason without the credentials', async () => {
    const answer = await get('/berths', { authorization: 'Bearer broken' });
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '2',
    ]);
    expect(log).toContain('The function verify.oauth failed. The provider does not know …');
    expect(log).not.toContain('broken');
  });

  test('answers 503 if the function hangs, and aborts its signal', async () => {
    expect((await get('/berths', { authorization: 'Bearer hanging' })).status).toBe(503);
    expect(calls.at(-1)).toBe('aborted');
  });

  test.each(['nameless', 'gold'])(
    'answers 500 if the function returns a caller that cannot be counted: %s',
    async (token) => {
      expect((await get('/berths', { authorization: `Bearer ${token}` })).status).toBe(500);
    },
  );

  test('paths that the contract does not have reveal nothing without credentials', async () => {
    expect((await get('/unknown')).status).toBe(401);
    expect((await get('/unknown', { authorization: 'Bearer reader' })).status).toBe(404);
  });
});

test('a key of the service in a header of any name, with the scopes of the contract', async () => {
  const answer = await get('/partner', { 'X-API-Key': running.key });
  expect([answer.status, answer.body.caller.scope]).toEqual([200, 'berths:read berths:write partners']);
  const { secret } = await running.server.keys.create({ plan: 'standard', scope: 'berths:read berths:write' });
  const refused = await get('/partner', { 'x-api-key': secret });
  expect([refused.status, challengeOf(refused)]).toEqual([
    403,
    'ApiKey realm="second-contract", in="header", name="X-Api-Key"',
  ]);
  expect(refused.body.message).toBe(
    'This operation requires the partners scope, but this API key has the scopes berths:read and berths:write. Use a key with the partners scope.',
  );
  expect((await get('/partner')).body.message).toBe(
    'This operation requires an API key. Send it as "X-Api-Key: <API_KEY>".',
  );
  expect((await get('/partner', { authorization: `Bearer ${running.key}` })).status).toBe(401);
  expect((await get('/partner', { 'x-api-key': running.key.replace('_test_', '_live_') })).status).toBe(401);
});

test('optional credentials: the caller is known if they are valid', async () => {
  expect((await get('/optional')).body).toEqual({ query: {} });
  expect((await get('/optional', { authorization: 'Bearer nobody' })).body).toEqual({ query: {} });
  expect((await get('/optional', { authorization: 'Bearer reader' })).body.caller.id).toBe('oauth:user-1');
  expect((await get('/open', { authorization: 'Bearer reader' })).body).toEqual({ query: {} });
});

test('optional credentials: only a caller who sends some gets a stored response', async () => {
  const isReplayed = async (authorization: string) => {
    const headers = { 'idempotency-key': 'one', ...(authorization === '' ? {} : { authorization }) };
    const { status, headers: received } = await fetch(`http://127.0.0.1:${running.server.port}/orders`, {
      method: 'POST',
      headers,
    });
    return [status, received.get('idempotency-replayed')];
  };
  const seen = [];
  for (const one of ['', '', 'Bearer nobody', 'Bearer reader', 'Bearer reader', '']) seen.push(await isReplayed(one));
  expect(seen).toEqual([null, null, null, null, 'true', null].map((replayed) => [200, replayed]));
});

test('a key that expires soon is announced only where the contract documents it', async () => {
  const { secret } = await running.server.keys.create({ plan: 'standard', expiresIn: 86_400_000 });
  const announced = async (path: string, headers: Record<string, string>) => {
    const answer = await get(path, headers);
    return [answer.status, answer.headers.has('x-key-expires')];
  };
  expect(await announced('/partner', { 'x-api-key': secret })).toEqual([200, true]);
  expect(await announced('/perhaps', { 'x-api-key': secret })).toEqual([200, false]);
});

test('in test mode, keys of the service stand in for functions that are not written yet', async () => {
  const trial = await start({ oauth: keysInTestMode, device: keysInTestMode });
  const tokens = [trial.key, 'reader'];
  const answers = await Promise.all(tokens.map((token) => trial.get('/berths', { authorization: `Bearer ${token}` })));
  expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  await trial.server.stop();
});

test.each<[what: string, functions: Record<string, Verify>, mode: string, message: string]>([
  [
    'without a function',
    { oauth: verifyToken },
    'test',
    'The keys of the service cannot serve the security scheme device: add a function for it to verify.',
  ],
  [
    'with a function of no scheme',
    { ...verify, saml: verifyToken },
    'test',
    'The contract has no security scheme saml: remove its function from verify.',
  ],
  [
    'in live mode with keys in place of a function',
    verify,
    'live',
    'The security scheme device has keysInTestMode, which a live server does not accept: write its function in verify.',
  ],
])('does not start %s', async (_, functions, API_MODE, message) => {
  await expect(start(functions, { API_MODE })).rejects.toThrow(message);
});
