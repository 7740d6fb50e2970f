import { operations } from '@animal-store/contract';
import { contractJson } from '@animal-store/contract/document';
import { describe, expect, it } from '@jest/globals';
import { documentOf } from './operation-document.ts';
import { operationIds } from './router.ts';

const whole = JSON.parse(contractJson);

describe('documentOf', () => {
  it.each(operationIds())('%s: every reference leads somewhere', (id) => {
    const document = documentOf(id);
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/([^/"]+)\/([^/"]+)"/g)];
    for (const [, group = '', name = ''] of references) {
      expect(document.components[group]?.[name]).toEqual(whole.components[group][name]);
    }
  });

  it('holds one operation', () => {
    const { path } = operations.createPet;
    expect(Object.keys(documentOf('createPet').paths)).toEqual([path]);
    expect(Object.keys(documentOf('createPet').paths[path] ?? {})).toEqual(['post']);
  });

  it('leaves out what only responses and other operations refer to', () => {
    const { components } = documentOf('createPet');
    expect(Object.keys(components).sort()).toEqual(['parameters', 'schemas']);
    expect(Object.keys(components['schemas'] ?? {}).sort()).toEqual(['CategoryId', 'NewPet', 'PetName', 'PetStatus']);
  });
});
