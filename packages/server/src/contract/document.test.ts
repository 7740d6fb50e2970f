import { operations } from '@animal-store/contract';
import { contractJson } from '@animal-store/contract/document';
import { describe, expect, it } from '@jest/globals';
import { operationDocument } from './document.ts';
import { operationIds } from './router.ts';

const whole = JSON.parse(contractJson);

describe('operationDocument', () => {
  it.each(operationIds())('%s: every reference can be resolved', (id) => {
    const document = operationDocument(id);
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/([^/"]+)\/([^/"]+)"/g)];
    for (const [, group = '', name = ''] of references) {
      expect(document.components[group]?.[name]).toEqual(whole.components[group][name]);
    }
  });

  it('contains one operation', () => {
    const { path } = operations.createPet;
    expect(Object.keys(operationDocument('createPet').paths)).toEqual([path]);
    expect(Object.keys(operationDocument('createPet').paths[path] ?? {})).toEqual(['post']);
  });

  it('omits components that only responses or other operations refer to', () => {
    const { components } = operationDocument('createPet');
    expect(Object.keys(components).sort()).toEqual(['schemas']);
    expect(Object.keys(components['schemas'] ?? {}).sort()).toEqual(['CategoryId', 'NewPet', 'PetName', 'PetStatus']);
  });
});
