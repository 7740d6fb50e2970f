import type { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { readConfig } from '../../../service/src/config/config.ts';
import type { AnyOperations } from '../../../service/src/contract/operation.ts';
import { type AnyVerify, keysInTestMode, type Verify } from '../../../service/src/contract/security.ts';
import { type RunningServer, startServer } from '../../../service/src/start.ts';
import { effectiveContract } from '../../../tooling/src/effective/effective.ts';
import { contractOf } from '../second-contract/contract-of.ts';
import { storeDefinition } from '../second-contract/operations/storage/index.ts';

/** A contract with every kind of security scheme, and operations that ask for them. The name of a path is that of its operation. */
const secured = (security: object[] | undefined, more: object = {}) => ({
  responses: {
    200: {
      description: 'The caller.',
      content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
    },
  },
  ...(security === undefined ? {} : { security }),
  ...more,
});
const operations: Record<string, ReturnType<typeof secured>> = {
  berths: secured(undefined),
  changes: secured([{ oauth: ['berths:write', 'berths:read'] }]),
  partner: secured([{ partner: ['partners'] }]),
  office: secured([{ office: [] }]),
  session: secured([{ session: [] }]),
  link: secured([{ link: [] }], { parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }] }),
  device: secured([{ device: [] }]),
  either: secured([{ oauth: ['berths:read'] }, { partner: [] }]),
  both: secured([{ office: [], partner: [] }]),
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
  paths: Object.fromEntries(
    Object.entries(operations).map(([id, operation]) => [`/${id}`, { get: { operationId: id, ...operation } }]),
  ),
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
      office: { type: 'http', scheme: 'Basic' },
      session: { type: 'apiKey', in: 'cookie', name: 'sid' },
      link: { type: 'apiKey', in: 'query', name: 'signature' },
      device: { type: 'mutualTLS' },
    },
  },
};

const contract = contractOf(effectiveContract(JSON.parse(JSON.stringify(given)), 'marina').document);
const calls: string[] = [];
const tokens: Record<string, string[]> = { reader: ['berths:read'], writer: ['berths:read', 'berths:write'] };
const verifyToken: Verify<{ token: string }> = async ({ token }, scopes, { signal }) => {
  calls.push(`${token} ${scopes.join('+')}`);
  if (token === 'broken') throw new Error(`The provider does not know ${token}`);
  if (token === 'nameless') return { id: '' };
  if (token === 'gold') return { id: 'u', plan: 'gold', scopes: tokens['reader'] };
  if (token === 'hanging') return new Promise(() => signal.addEventListener('abort', () => calls.push('aborted')));
  const granted = tokens[token];
  return granted && { id: 'user-1', scopes: granted, tenant: 'north' };
};
const verifyPassword: Verify<{ username: string; password: string }> = ({ username, password }) => {
  if (!password.startsWith('bro ')) return password === 'pass:word' ? { id: username } : undefined;
  const query = new URLSearchParams({ password });
  const header = Buffer.from(`${username}:${password}`).toString('base64');
  throw new Error(`GET /check?${query}&p=${encodeURIComponent(password)} ${header} ${JSON.stringify({ password })}`);
};
const verifyValue: Verify<{ value: string }> = ({ value }) => (value === 'good' ? { id: 'reader' } : undefined);
const verify: Record<string, AnyVerify> = {
  oauth: verifyToken,
  office: verifyPassword,
  session: verifyValue,
  link: verifyValue,
  device: keysInTestMode,
};

const { office: _, ...withoutOffice } = verify;

const whoCalls: AnyOperations = Object.fromEntries(
  Object.keys(operations).map((id) => [
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
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
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

  test('does not leave what the caller sent in the log, in any form', async () => {
    const secret = 'bro ken/"pass';
    const encoded = Buffer.from(`clerk:${secret}`).toString('base64');
    const { status } = await get('/office', { authorization: `Basic ${encoded}` });
    expect(status).toBe(503);
    for (const form of [encoded, secret, encodeURIComponent(secret), 'bro+ken%2F%22pass', 'bro ken/\\\\\\"pass']) {
      expect(log).not.toContain(form);
    }
    expect(log).toContain('verify.office failed');
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
    ['another scheme', basic('a:b'), 'Bearer realm="second-contract"', 'This operation requires credentials.'],
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

test('basic authentication has a username and a password with colons', async () => {
  expect((await get('/office', basic('anna:pass:word'))).body.caller.id).toBe('office:anna');
  const refused = await get('/office', basic('anna:wrong'));
  expect([refused.status, challengeOf(refused)]).toEqual([401, 'Basic realm="second-contract", charset="UTF-8"']);
});

test('a cookie counts, except in requests of pages of other sites', async () => {
  const cookie = 'a=b; sid=good; c=d';
  expect((await get('/session', { cookie })).body.caller.id).toBe('session:reader');
  expect((await get('/session', { cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  expect((await get('/session', { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(401);
  expect((await get('/session', { cookie, origin: 'https://evil.example' })).status).toBe(401);
  const authorization = `Basic ${Buffer.from('clerk:pass:word').toString('base64')}`;
  expect((await get('/office', { authorization, 'sec-fetch-site': 'cross-site' })).status).toBe(401);
  expect((await get('/office', { authorization })).status).toBe(200);
  expect((await get('/session', { cookie: 'sid=good; sid=good' })).status).toBe(401);
  expect(challengeOf(await get('/session'))).toBe('ApiKey realm="second-contract", in="cookie", name="sid"');
});

test('a value in the query is not a parameter of the operation', async () => {
  const { status, body } = await get('/link?q=x&signature=good');
  expect([status, body.caller.id, body.query]).toEqual([200, 'link:reader', { q: 'x' }]);
  expect((await get('/link?signature=bad')).status).toBe(401);
  expect((await get('/open?signature=good')).status).toBe(400);
  expect(log).not.toContain('signature');
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

test('alternatives: one is enough, and a refusal names all', async () => {
  expect((await get('/either', { authorization: 'Bearer reader' })).body.caller.id).toBe('oauth:user-1');
  expect((await get('/either', { 'x-api-key': running.key })).body.caller.id).toMatch(/^key_/);
  expect((await get('/either', { authorization: 'Bearer nobody', 'x-api-key': running.key })).status).toBe(200);
  expect((await get('/either', { authorization: 'Bearer broken', 'x-api-key': running.key })).status).toBe(200);
  expect((await get('/either', { authorization: 'Bearer broken' })).status).toBe(503);
  const refused = await get('/either');
  expect([refused.status, challengeOf(refused)]).toEqual([
    401,
    'Bearer realm="second-contract", ApiKey realm="second-contract", in="header", name="X-Api-Key"',
  ]);
  expect(refused.body.message).toContain('Send them as "Authorization: Bearer <TOKEN>" or "X-Api-Key: <API_KEY>".');
});

test('combinations: all must be valid, and the first one is the caller', async () => {
  const password = basic('anna:pass:word');
  expect((await get('/both', { ...password, 'x-api-key': running.key })).body.caller.id).toBe('office:anna');
  expect((await get('/both', password)).status).toBe(401);
  expect((await get('/both', { ...password, 'x-api-key': 'wrong' })).status).toBe(401);
  expect((await get('/both', { 'x-api-key': running.key })).body.message).toContain('not valid');
});

test('optional credentials: the caller is known if they are valid', async () => {
  expect((await get('/optional')).body).toEqual({ query: {} });
  expect((await get('/optional', { authorization: 'Bearer nobody' })).body).toEqual({ query: {} });
  expect((await get('/optional', { authorization: 'Bearer reader' })).body.caller.id).toBe('oauth:user-1');
  expect((await get('/open', { authorization: 'Bearer reader' })).body).toEqual({ query: {} });
});

/** DER of a certificate for the name boat-7. */
const certificate =
  'MIIBNjCB6aADAgECAhRUFyB3ig6M8Vv53aV6VYcHuuSsATAFBgMrZXAwETEPMA0GA1UEAwwGYm9hdC03MB4XDTI2MTEyNTE4NTcwMFoXDTM2MT' +
  'EyMjE4NTcwMFowETEPMA0GA1UEAwwGYm9hdC03MCowBQYDK2VwAyEAd//vj+HHcGZ8ZO04VPWtIlolVy0rnq8cC3yVOy6WRnijUzBRMB0GA1Ud' +
  'DgQWBBRAeh7utXuuwTJQxv3TDa10lZOehzAfBgNVHSMEGDAWgBRAeh7utXuuwTJQxv3TDa10lZOehzAPBgNVHRMBAf8EBTADAQH/MAUGAytlcA' +
  'NBAIdm8HPopogM3M17zqoRmzB+gFDrQJm4e4ZuBvf9ixO8AYJc91coimZN3zI1x+u2cgEwaaWGnQTQLiTnz7ThBwE=';

test('a certificate counts if a trusted proxy passes it on', async () => {
  const device: Verify<{ certificate: X509Certificate }> = ({ certificate: { subject } }) => ({ id: subject });
  const header = { 'client-cert': `:${certificate}:` };
  const behindProxy = await start({ ...verify, device }, { TRUST_PROXY: 'loopback' });
  expect((await behindProxy.get('/device', header)).body.caller.id).toBe('device:CN=boat-7');
  expect((await behindProxy.get('/device', { 'client-cert': ':AAAA:' })).status).toBe(401);
  await behindProxy.server.stop();
  const direct = await start({ ...verify, device });
  const refused = await direct.get('/device', header);
  expect([refused.status, challengeOf(refused)]).toEqual([401, 'Mutual realm="second-contract"']);
  await direct.server.stop();
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
  const names = ['oauth', 'office', 'session', 'link', 'device'];
  const trial = await start(Object.fromEntries(names.map((name) => [name, keysInTestMode])));
  const { key } = trial;
  const answers = [
    await trial.get('/berths', { authorization: `Bearer ${key}` }),
    await trial.get('/office', basic(`any:${key}`)),
    await trial.get('/session', { cookie: `sid=${key}` }),
    await trial.get(`/link?signature=${key}`),
    await trial.get('/device', { 'client-cert': key }),
    await trial.get('/berths', { authorization: 'Bearer reader' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 401]);
  await trial.server.stop();
});

test.each<[what: string, functions: Record<string, AnyVerify>, mode: string, message: string]>([
  [
    'without a function',
    withoutOffice,
    'test',
    'The keys of the service cannot serve the security scheme office: add a function for it to verify.',
  ],
  [
    'with a function of no scheme',
    { ...verify, saml: verifyValue },
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
