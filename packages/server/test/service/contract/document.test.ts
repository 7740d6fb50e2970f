import { type OperationId, operations } from '@animal-store/contract';
import { describe, expect, it } from '@jest/globals';
import { operationDocument } from '../../../../service/src/contract/document.ts';
import { contract, operationIds, contractDocument as whole } from '../../contract.ts';

const documentOf = (id: OperationId) => operationDocument(contract.operations[id], contract, whole);

describe('operationDocument', () => {
  it.each(operationIds())('%s: every reference can be resolved', (id) => {
    const document = documentOf(id);
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/([^/"]+)\/([^/"]+)"/g)];
    for (const [, group = '', name = ''] of references) {
      expect(document.components[group]?.[name]).toEqual(whole.components[group][name]);
    }
  });

  it('contains one operation', () => {
    const { path } = operations.createPet;
    expect(Object.keys(documentOf('createPet').paths)).toEqual([path]);
    expect(Object.keys(documentOf('createPet').paths[path] ?? {})).toEqual(['post']);
  });

  it('omits components that only responses or other operations refer to', () => {
    const { components } = documentOf('createPet');
    expect(Object.keys(components).sort()).toEqual(['schemas']);
    expect(Object.keys(components['schemas'] ?? {}).sort()).toEqual(['CategoryId', 'NewPet', 'PetName', 'PetStatus']);
  });
});
