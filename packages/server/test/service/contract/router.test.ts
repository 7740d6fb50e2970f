import { basePath, operations } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { allowedMethods } from '../../allowed-methods.ts';
import { compiled, operationIds, routeOf } from '../../contract.ts';

const { findRoute } = compiled;

describe('a path of the contract', () => {
  test.each([
    ['GET', '/v1/pets', 'listPets'],
    ['HEAD', '/v1/pets', 'listPets'],
    ['POST', '/v1/pets', 'createPet'],
    ['GET', '/v1/pets/7', 'getPet'],
    ['HEAD', '/v1/pets/7', 'getPet'],
  ])('%s %s is the operation %s', (method, path, id) => {
    expect(findRoute(method, path)).toMatchObject({ kind: 'operation', operation: { id } });
  });

  test.each([
    ['/v1/pets/7', '7'],
    ['/v1/pets/-7', '-7'],
    ['/v1/pets/%37', '7'],
    ['/v1/pets/x%20y', 'x y'],
    ['/v1/pets/1%2F2', '1/2'],
    ['/v1/pets/1%3F2', '1?2'],
    ['/v1/pets/%E2%82%AC', '€'],
    ['/v1/pets/%2537', '%37'],
    ['/v1/pets/+7', '+7'],
    ['/v1/pets/..', '..'],
    ['/v1/pets/__proto__', '__proto__'],
    ['/v1/pets/%00', '\0'],
    ['/v1/pets/{petId}', '{petId}'],
  ])('the parameter of %s is decoded once: %j', (path, petId) => {
    expect(findRoute('GET', path)).toEqual(routeOf('getPet', { petId }));
  });

  test.each(['%', '%z1', '%e2%82', '%ff', '7%', '%c0%80', '%ed%a0%80'])(
    'the parameter %s cannot be decoded, which is malformed',
    (petId) => {
      expect(findRoute('GET', `/v1/pets/${petId}`)).toEqual({ kind: 'malformed' });
    },
  );
});

describe('no other path is an operation', () => {
  test.each([
    '',
    '*',
    'v1/pets',
    '/V1/pets',
    '/v1/petss',
    '/v1/pets/',
    '/v1/pets//7',
    '/v1/pets/7/8',
    '//v1/pets',
    '/x/v1/pets',
    '/v1/%70ets',
    '/v1/pets%2F7',
    '/v1/pets?limit=1',
    '/v1/x/../pets',
    '/__proto__',
    `/v1/${'x/'.repeat(10_000)}`,
  ])('%j', (path) => {
    expect(findRoute('GET', path)).toEqual({ kind: 'unknown' });
  });
});

describe('a method that a path does not have', () => {
  test.each([
    ['PUT', '/v1/pets', '/pets'],
    ['DELETE', '/v1/pets', '/pets'],
    ['OPTIONS', '/v1/pets', '/pets'],
    ['TRACE', '/v1/pets', '/pets'],
    ['get', '/v1/pets', '/pets'],
    ['POST', '/v1/pets/7', '/pets/{petId}'],
    ['POST', '/v1/pets/%', '/pets/{petId}'],
  ])('%s %s returns the methods of %s', (method, path, documented) => {
    expect(findRoute(method, path)).toEqual({ kind: 'wrong-method', allow: allowedMethods(documented) });
  });
});

test('each operation of the contract is found by its method and path', () => {
  const found = operationIds().map((id) => {
    const { method, path } = operations[id];
    const route = findRoute(method, `${basePath}${path.replace(/\{[^}]+\}/g, '1')}`);
    return route.kind === 'operation' ? route.operation.id : route.kind;
  });
  expect(found).toEqual(Object.keys(operations));
});
