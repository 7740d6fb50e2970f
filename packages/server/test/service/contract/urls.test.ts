import { contract } from '@animal-store/contract/service';
import { describe, expect, test } from '@jest/globals';
import { urlsAt } from '../../../../service/src/contract/urls.ts';

const urlOf = urlsAt('https://api.example.com', contract);

describe('the URL of an operation', () => {
  test('is its path in the contract, below the base path', () => {
    expect(urlOf('listPets', {})).toBe('https://api.example.com/v1/pets');
    expect(urlOf('getPet', { path: { petId: 42 } })).toBe('https://api.example.com/v1/pets/42');
  });

  test('keeps every digit of the largest ID', () => {
    expect(urlOf('getPet', { path: { petId: Number.MAX_SAFE_INTEGER } })).toBe(
      'https://api.example.com/v1/pets/9007199254740991',
    );
  });

  test('has the given query parameters in order, and none that is undefined', () => {
    expect(urlOf('listPets', { query: { limit: 5, status: undefined, cursor: 'YQ' } })).toBe(
      'https://api.example.com/v1/pets?limit=5&cursor=YQ',
    );
    expect(urlOf('listPets', { query: { status: undefined } })).toBe('https://api.example.com/v1/pets');
  });

  test('repeats the name of a parameter for each value of an array', () => {
    expect(urlOf('listPets', { query: { limit: 5, id: [1, 2], categoryId: -3 } })).toBe(
      'https://api.example.com/v1/pets?limit=5&id=1&id=2&categoryId=-3',
    );
  });

  test('encodes characters that would end the query or the Link header', () => {
    expect(urlOf('listPets', { query: { cursor: 'a&b=c>' } })).toBe(
      'https://api.example.com/v1/pets?cursor=a%26b%3Dc%3E',
    );
  });

  test('without an origin is relative to the server', () => {
    expect(urlsAt('', contract)('listPets', { query: { limit: 1 } })).toBe('/v1/pets?limit=1');
  });
});
