import { expect, test } from '@jest/globals';
import { compileContract } from '../../../../service/src/contract/compiled-contract.ts';
import { api } from '../../../src/operations/api.ts';
import { contract, contractDocument } from '../../contract.ts';
import { startTestServer } from '../../harness.ts';

const { paths } = contractDocument;
const { '/pets': pets, ...otherPaths } = paths;
const { '200': _, ...otherResponses } = pets.get.responses;
const withPets = (item: object) => ({ ...otherPaths, '/pets': { ...pets, ...item } });

test.each([
  ['has no paths', undefined, 'it has no operation listPets at GET /pets'],
  ['lacks a path', otherPaths, 'it has no operation listPets at GET /pets'],
  ['lacks a method', withPets({ post: undefined }), 'it has no operation createPet at POST /pets'],
  [
    'has an operation under another name',
    withPets({ get: { ...pets.get, operationId: 'listAnimals' } }),
    'it has no operation listPets at GET /pets',
  ],
  [
    'lacks a response',
    withPets({ get: { ...pets.get, responses: otherResponses } }),
    'its operation listPets has no response 200',
  ],
])('a server does not start if the document of its contract %s', async (_, changed, problem) => {
  const changedContract = { ...contract, json: JSON.stringify({ ...contractDocument, paths: changed }) };
  const message = `The document of the contract does not match the generated constants: ${problem}. Run: npm run generate`;
  expect(() => compileContract(changedContract)).toThrow(message);
  await expect(startTestServer({ service: { ...api, contract: changedContract } })).rejects.toThrow(message);
});
