/**
 * Checks that the contract and the generated constants keep what was promised to callers. The promises are repeated here
 * on purpose, so that none changes by accident.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { basePath, contractVersion, errorStatus, limits, operations, plans } from '../src/index.ts';
import { contractAt, contractEntries } from './contract.ts';

const operationTable = [
  { id: 'listPets', method: 'get', path: '/pets', success: '200', errors: ['401'] },
  { id: 'createPet', method: 'post', path: '/pets', success: '201', errors: ['400', '401'] },
  { id: 'getPet', method: 'get', path: '/pets/{petId}', success: '200', errors: ['401', '404'] },
] as const;

const petStatus = { type: 'string', enum: ['available', 'pending', 'sold'] };
const integer64 = { type: 'integer', format: 'int64' };
const newPetFields = { name: { type: 'string' }, categoryId: integer64, status: petStatus };
const petFields = { ...newPetFields, id: integer64 };
const errorFields = { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } };

describe('the interface', () => {
  test('has version 1.0.0 or a later 1.x version, which ends in -dev until its release', () => {
    expect(contractAt('info', 'version')).toMatch(/^1\.[0-9]+\.[0-9]+(-dev)?$/);
    expect(contractVersion).toBe(contractAt('info', 'version'));
  });

  test('has a production and a staging URL, and the last segment of every URL is v1', () => {
    const servers = contractEntries('servers').map(([, server]) => server);
    expect(servers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ description: 'Production' }),
        expect.objectContaining({ description: 'Staging' }),
      ]),
    );
    for (const server of servers)
      expect(server).toEqual(expect.objectContaining({ url: expect.stringMatching(/\/v1$/) }));
    expect(basePath).toBe('/v1');
  });

  test('has these operations under these methods and paths', () => {
    const found = contractEntries('paths').flatMap(([path, methods]) =>
      Object.entries(Object(methods)).map(([method, operation]) => [Object(operation).operationId, method, path]),
    );
    expect(found).toEqual(expect.arrayContaining(operationTable.map(({ id, method, path }) => [id, method, path])));
    for (const { id, method, path } of operationTable) {
      expect(operations[id]).toMatchObject({ method: method.toUpperCase(), path });
    }
  });

  test('the constants have exactly the operations of the document', () => {
    const found = contractEntries('paths').flatMap(([path, methods]) =>
      Object.entries(Object(methods)).map(([method, operation]): [string, unknown] => [
        Object(operation).operationId,
        { method: method.toUpperCase(), path },
      ]),
    );
    expect(operations).toMatchObject(Object.fromEntries(found));
    expect(Object.keys(operations).sort()).toEqual(found.map(([id]) => id).sort());
  });
});

describe('a resource', () => {
  test.each([
    ['NewPet', newPetFields, ['categoryId', 'name']],
    ['Pet', petFields, ['categoryId', 'id', 'name']],
    ['Error', errorFields, ['code', 'message', 'status']],
  ])(
    '%s has the promised fields with their types, and requires exactly the promised ones',
    (name, fields, required) => {
      expect(contractAt('components', 'schemas', name)).toMatchObject({ type: 'object', properties: fields });
      const found = contractEntries('components', 'schemas', name, 'required').map(([, field]) => field);
      expect(found.sort()).toEqual(required);
    },
  );

  test('Pet has every field of NewPet with the same schema', () => {
    expect(contractAt('components', 'schemas', 'Pet', 'properties')).toMatchObject(
      Object.fromEntries(contractEntries('components', 'schemas', 'NewPet', 'properties')),
    );
  });

  test('PetStatus has exactly three values', () => {
    expect(contractAt('components', 'schemas', 'PetStatus', 'enum')).toEqual(['available', 'pending', 'sold']);
  });

  test.each(['NewPet', 'Pet'])('the status of %s has no default, so it may stay absent', (name) => {
    expect(contractAt('components', 'schemas', name, 'properties', 'status')).not.toHaveProperty('default');
  });

  test('Pets is an array of Pet', () => {
    expect(contractAt('components', 'schemas', 'Pets')).toMatchObject({
      type: 'array',
      items: contractAt('components', 'schemas', 'Pet'),
    });
  });

  test.each(['name', 'code', 'message'])('the string %s has no format', (field) => {
    const owner = field === 'name' ? 'NewPet' : 'Error';
    expect(contractAt('components', 'schemas', owner, 'properties', field)).not.toHaveProperty('format');
  });
});

describe.each(operationTable)('the operation $id', ({ id, method, path, success, errors }) => {
  const operation = ['paths', path, method];

  test('documents its success and its errors', () => {
    const statuses = contractEntries(...operation, 'responses').map(([status]) => status);
    expect(statuses).toEqual(expect.arrayContaining([success, ...errors, '429']));
    expect(statuses.filter((status) => status.startsWith('2'))).toEqual([success]);
  });

  test('responds with JSON, and with the schema Error for each error', () => {
    const error = contractAt('components', 'schemas', 'Error');
    const resource = contractAt('components', 'schemas', id === 'listPets' ? 'Pets' : 'Pet');
    const statuses = contractEntries(...operation, 'responses').map(([status]) => status);
    for (const status of statuses.filter((each) => each !== '304')) {
      const content = contractEntries(...operation, 'responses', status, 'content');
      expect(content.map(([type]) => type)).toEqual(['application/json']);
      const schema = contractAt(...operation, 'responses', status, 'content', 'application/json', 'schema');
      expect(schema).toEqual(status === success ? resource : error);
    }
  });

  test('documents the rate-limit headers on every response, and Retry-After on 429', () => {
    const rule = expect.objectContaining({ required: true, schema: expect.objectContaining({ type: 'integer' }) });
    for (const [status] of contractEntries(...operation, 'responses')) {
      expect(contractAt(...operation, 'responses', status, 'headers')).toMatchObject({
        'X-RateLimit-Limit': rule,
        'X-RateLimit-Remaining': rule,
        'X-RateLimit-Reset': rule,
      });
    }
    expect(contractAt(...operation, 'responses', '429', 'headers')).toMatchObject({ 'Retry-After': rule });
  });

  test('needs a bearer API key', () => {
    const bearer = contractEntries('components', 'securitySchemes')
      .filter(([, scheme]) => Object(scheme).type === 'http' && Object(scheme).scheme === 'bearer')
      .map(([name]) => name);
    expect(bearer).toHaveLength(1);
    const required = contractAt(...operation, 'security') ?? contractAt('security');
    expect(required).toEqual(bearer.map((name) => ({ [name]: [id === 'createPet' ? 'write' : 'read'] })));
  });

  test('requires no parameters except those of its path', () => {
    const required = contractEntries(...operation, 'parameters')
      .map(([, parameter]) => Object(parameter))
      .filter((parameter) => parameter.required === true);
    expect(required.map(({ name, in: place }) => `${place} ${name}`)).toEqual(id === 'getPet' ? ['path petId'] : []);
  });

  test('takes a body only if it adds something', () => {
    const body = contractAt(...operation, 'requestBody');
    const newPet = {
      required: true,
      content: { 'application/json': { schema: contractAt('components', 'schemas', 'NewPet') } },
    };
    if (id === 'createPet') expect(body).toMatchObject(newPet);
    else expect(body).toBeUndefined();
    expect(operations[id].requestBody !== null).toBe(id === 'createPet');
  });

  test('is deprecated only if it is getPet', () => {
    expect(contractAt(...operation, 'deprecated') ?? false).toBe(id === 'getPet');
    expect(operations[id].deprecation !== null).toBe(id === 'getPet');
  });
});

describe('a parameter', () => {
  function parametersOf(path: string, method: string) {
    return contractEntries('paths', path, method, 'parameters').map(([, parameter]) => parameter);
  }

  test.each([
    ['limit', '/pets', { in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } }],
    ['status', '/pets', { in: 'query', schema: petStatus }],
    ['petId', '/pets/{petId}', { in: 'path', required: true, schema: integer64 }],
  ])('%s of GET %s is as promised', (name, path, parameter) => {
    const found = parametersOf(path, 'get').filter((candidate) => Object(candidate).name === name);
    expect(found).toMatchObject([parameter]);
  });

  test('that is an integer or a list of integers is typed as such, with its default', () => {
    const query = ['limit', 'id', 'categoryId'];
    expect(operations.listPets).toMatchObject({ integers: { query }, defaults: { limit: 20 } });
    expect(operations.getPet.integers.path).toEqual(['petId']);
  });
});

describe('getPet', () => {
  const promise = { sunset: '2030-12-05T00:00:00Z', successor: 'listPets' };

  test('will be removed on 5 December 2030, and its successor is GET /pets', () => {
    expect(contractAt('paths', '/pets/{petId}', 'get', 'x-deprecation')).toMatchObject(promise);
    expect(operations.getPet.deprecation).toMatchObject(promise);
    expect(operations[operations.getPet.deprecation.successor]).toMatchObject({ method: 'GET', path: '/pets' });
  });

  test('has its date of removal and its successor in its description', () => {
    const description = contractAt('paths', '/pets/{petId}', 'get', 'description');
    expect(description).toContain('5 December 2030');
    expect(description).toContain('`GET /pets` with the `status` filter');
  });
});

describe('a plan', () => {
  test.each([
    ['free', { title: 'Free', perMinute: 60, perDay: 1_000 }],
    ['pro', { title: 'Pro', perMinute: 300, perDay: 10_000 }],
    ['business', { title: 'Business', perMinute: 1_000, perDay: 100_000 }],
    ['enterprise', { title: 'Enterprise', custom: true }],
  ] as const)('%s has its limits', (name, plan) => {
    expect(contractAt('x-rate-limits', 'plans', name)).toEqual(plan);
    expect(plans[name]).toEqual(plan);
  });
});

describe('an error', () => {
  test.each([
    ['api_key_missing', 401],
    ['api_key_invalid', 401],
    ['invalid_request', 400],
    ['pet_not_found', 404],
    ['rate_limited', 429],
    ['key_banned', 429],
  ] as const)('%s is a %i', (code, status) => {
    expect(errorStatus[code]).toBe(status);
  });

  test('the table of codes and the list of codes match', () => {
    const codes = contractEntries('components', 'schemas', 'ErrorCode', 'enum').map(([, code]) => code);
    const rows = contractEntries('components', 'schemas', 'ErrorCode', 'x-codes');
    expect(rows.map(([code]) => code)).toEqual(codes);
    expect(rows.map(([code, row]) => [code, Object(row).status])).toEqual(Object.entries(errorStatus));
  });
});

test('the other limits in the constants are those of the document', () => {
  expect(contractAt('x-limits')).toEqual(limits);
});

const types = readFileSync(new URL('../src/generated/openapi.ts', import.meta.url), 'utf8');

/** What an editor shows about an operation. */
function commentOf(id: string): string {
  const [before = ''] = types.split(`: operations["${id}"]`);
  return before.slice(before.lastIndexOf('/**'));
}

test('the operations of orders and of the sandbox are beta, and all others are stable', () => {
  const beta = Object.entries(operations).flatMap(([id, { stability }]) => (stability === 'beta' ? [id] : []));
  expect(beta).toEqual([
    'listOrders',
    'createOrder',
    'getOrder',
    'completeOrder',
    'cancelOrder',
    'resetSandbox',
    'setSandboxClock',
    'getTranscript',
  ]);
});

test.each(Object.entries(operations))('editors show whether %s is @beta or @deprecated', (id, facts) => {
  expect(/^\s*\*\s+@beta$/m.test(commentOf(id))).toBe(facts.stability === 'beta');
  expect(/@deprecated/.test(commentOf(id))).toBe(facts.deprecation !== null);
});
