import { type OperationId, operations } from '@animal-store/contract';
import { describe, expect, it } from '@jest/globals';
import { operationDocument } from '../../../../service/src/openapi/document.ts';
import { contract, contractDocument as whole } from '../../contract.ts';

const documentOf = (id: OperationId) => operationDocument(contract.operations[id], contract, whole);

describe('operationDocument', () => {
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
