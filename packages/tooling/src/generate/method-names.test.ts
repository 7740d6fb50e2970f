import { expect, test } from '@jest/globals';
import { methodNameOf, pathOf } from './method-names.ts';

test.each([
  ['listPets', 'Pets', 'pets.list'],
  ['getPetPhoto', 'Pets', 'pets.getPhoto'],
  ['listPetsByOwner', 'Pets', 'pets.listByOwner'],
  ['petition', 'Pets', 'pets.petition'],
  ['getCategory', 'Categories', 'categories.get'],
  ['deleteBox', 'Boxes', 'boxes.delete'],
  ['setHTTPAddress', 'Pet addresses', 'petAddresses.setHttpAddress'],
  ['movePetAddress', 'Pet addresses', 'petAddresses.move'],
  ['search', 'Pets', 'pets.search'],
])('%s with the tag %s is %s', (operationId, tag, path) => {
  expect(pathOf(methodNameOf({ operationId, tags: [tag] }))).toBe(path);
});

test('x-method-name replaces the method name, and the name of a beta operation shows that it is beta', () => {
  const operation = { operationId: 'listPets', tags: ['Pets'], 'x-method-name': 'find', 'x-stability': 'beta' };
  expect(methodNameOf(operation)).toEqual({
    isBeta: true,
    group: 'pets',
    method: 'find',
    functionName: 'betaListPets',
  });
  expect(pathOf(methodNameOf(operation))).toBe('beta.pets.find');
});
