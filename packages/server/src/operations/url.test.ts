import { describe, expect, test } from '@jest/globals';
import { urlsAt } from './url.ts';

const origin = 'https://api.example.com';
const urlOf = urlsAt(origin);

describe('the address of an operation', () => {
  test.each<[Parameters<typeof urlOf>[0], Parameters<typeof urlOf>[1], string]>([
    ['listPets', {}, '/v1/pets'],
    ['createPet', {}, '/v1/pets'],
    ['getPet', { path: { petId: 7 } }, '/v1/pets/7'],
    ['getPet', { path: { petId: -7 } }, '/v1/pets/-7'],
    ['getPet', { path: { petId: 2 ** 53 - 1 } }, '/v1/pets/9007199254740991'],
    ['getPet', { path: { petId: 'a/b?c#d %' } }, '/v1/pets/a%2Fb%3Fc%23d%20%25'],
    ['getPet', { path: { petId: '$&' } }, '/v1/pets/%24%26'],
    ['listPets', { query: {} }, '/v1/pets'],
    ['listPets', { query: { limit: 20, cursor: 'YWZ0ZXI6MjA' } }, '/v1/pets?limit=20&cursor=YWZ0ZXI6MjA'],
    ['listPets', { query: { limit: 20, status: undefined } }, '/v1/pets?limit=20'],
    ['listPets', { query: { status: undefined } }, '/v1/pets'],
    ['listPets', { query: { limit: 0 } }, '/v1/pets?limit=0'],
    ['listPets', { query: { status: 'a&b=c>' } }, '/v1/pets?status=a%26b%3Dc%3E'],
  ])('%s with %j is %s', (id, parameters, address) => {
    expect(urlOf(id, parameters)).toBe(`${origin}${address}`);
  });

  test('without an origin is relative to the server', () => {
    expect(urlsAt('')('getPet', { path: { petId: 7 } })).toBe('/v1/pets/7');
  });
});
