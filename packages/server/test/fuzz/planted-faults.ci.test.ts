import { describe, expect, test } from '@jest/globals';
import { createPet } from '../../src/operations/createPet.ts';
import { operations } from '../../src/operations/index.ts';
import { contractDocument } from '../contract.ts';
import type { Failure } from './run/failure.ts';
import { fuzz } from './run/run.ts';
import { type Tampering, tamperedTarget } from './target/tampering.ts';
import { startTarget, type Target } from './target/target.ts';

const SEED = 7;

/** The failures that the fuzzer finds in one operation. */
async function failuresOf(target: Target, operation: string, document = contractDocument): Promise<Failure[]> {
  const { failures } = await fuzz(target, operation, { runs: 200, seed: SEED }, document);
  return failures;
}

/** A changed contract, from whose point of view the server has a fault. */
function contractWith(change: (document: typeof contractDocument) => void): typeof contractDocument {
  const document = structuredClone(contractDocument);
  change(document);
  return document;
}

const kindsOf = (failures: Failure[]) => failures.map(({ kind }) => kind);
const problemsOf = (failures: Failure[]) => failures.flatMap(({ problems }) => problems).join('\n');

describe('a server that does not check a constraint is detected, and the constraint is named', () => {
  test.each([
    [
      'listPets',
      'query/limit maximum',
      (document: typeof contractDocument) => (document.components.parameters.Limit.schema.maximum = 50),
    ],
    [
      'createPet',
      'header/Idempotency-Key maxLength',
      (document: typeof contractDocument) => (document.components.parameters.IdempotencyKey.schema.maxLength = 20),
    ],
  ])('%s: %s', async (operation, kind, change) => {
    await using target = await startTarget();
    const failures = await failuresOf(target, operation, contractWith(change));
    expect(kindsOf(failures)).toContain(kind);
  });
});

describe('a fault in an operation is detected', () => {
  test('one that sometimes throws, with the smallest request that makes it throw', async () => {
    const failing: typeof createPet = async (call) => {
      if (call.body.categoryId > 1_000) throw new Error('planted');
      return createPet(call);
    };
    await using target = await startTarget({ operations: { ...operations, createPet: failing } });
    const failure = (await failuresOf(target, 'createPet')).find(({ kind }) => kind === 'valid');
    expect(failure?.problems).toEqual(['the response is a 500']);
    expect(failure?.curl).toMatch(/^curl .*"categoryId":/);
  });
});

describe('a fault in responses is detected', () => {
  test('one that lets a key with the scope read change data', async () => {
    // With its Idempotency-Key, the request would get the stored response of the allowed one.
    const request: Tampering['request'] = ({ 'idempotency-key': once, ...headers }, { key, readKey }) => {
      if (headers.authorization === `Bearer ${readKey}`) return { ...headers, authorization: `Bearer ${key}` };
      return once === undefined ? headers : { ...headers, 'idempotency-key': once };
    };
    await using target = await tamperedTarget(await startTarget(), { request });
    const problems = problemsOf(await failuresOf(target, 'createPet'));
    expect(problems).toContain(
      'with a key of the scope read: the response should be 403 insufficient_scope, and is 201',
    );
    expect(problems).toContain('a caller that may not write has written something');
  });
});
