import { describe, expect, test } from '@jest/globals';
import { ApiError, bodyOf } from '../../../../service/src/contract/api-error.ts';
import { ContractViolationError } from '../../../../service/src/contract/response-check.ts';
import { toApiError, unavailable } from '../../../../service/src/middleware/handle-errors.ts';
import {
  OutcomeUnknownError,
  StorageSetupError,
  StorageUnavailableError,
} from '../../../../service/src/storage/storage.ts';
import { contract } from '../../../../service/test/toy-contract.ts';

describe('toApiError returns the documented error', () => {
  test.each<[string, unknown, string, number]>([
    ['for a storage that does not answer', new StorageUnavailableError('disk full'), 'service_unavailable', 503],
    ['for an error with its own status', Object.assign(new Error(), { status: 404 }), 'internal_error', 500],
    ['for a response that violates the contract', new ContractViolationError('x'), 'internal_error', 500],
    ['for a storage that cannot be opened', new StorageSetupError('x'), 'internal_error', 500],
    ['for a programming error', new TypeError('x is not a function'), 'internal_error', 500],
    ['for a thrown text', 'oops', 'internal_error', 500],
    ['for undefined', undefined, 'internal_error', 500],
    ['for null', null, 'internal_error', 500],
    ['for an object', { code: 'note_not_found', status: 404 }, 'internal_error', 500],
  ])('%s', (_, error, code, status) => {
    const refusal = toApiError(error);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(bodyOf(refusal, contract)).toEqual({ code, message: expect.any(String), status });
  });

  test('unchanged if it is already an ApiError', () => {
    const refusal = new ApiError('note_not_found', 'No note has the ID 42.');
    expect(toApiError(refusal)).toBe(refusal);
  });
});

describe('the response to an error', () => {
  const secret = 'SELECT secret FROM keys at /srv/app.ts:1';

  test.each<[string, unknown]>([
    ['a fault', new Error(secret)],
    ['text', secret],
    ['a storage', new StorageUnavailableError(new Error(secret))],
  ])('reveals no internal details: %s', (_, error) => {
    const refusal = toApiError(error);
    expect(JSON.stringify([bodyOf(refusal, contract), refusal.headers])).not.toContain('secret');
  });

  test('keeps the cause for the log', () => {
    const error = new Error(secret);
    expect(toApiError(error).cause).toBe(error);
    expect(unavailable(error).cause).toBe(error);
  });

  test('has Retry-After if a retry can help', () => {
    expect(unavailable().headers['Retry-After']).toMatch(/^[1-9][0-9]*$/);
    expect(toApiError(new StorageUnavailableError('x')).headers).toEqual(unavailable().headers);
    expect(toApiError(new OutcomeUnknownError('x')).headers).toEqual(unavailable().headers);
    expect(toApiError(new Error()).headers).toEqual({});
  });
});
