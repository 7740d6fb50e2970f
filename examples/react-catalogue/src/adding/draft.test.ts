import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { newDraft } from './draft.ts';

const { randomUUID } = crypto;
/** Simulates a page that is served over plain HTTP from another machine. */
beforeEach(() => void Object.assign(crypto, { randomUUID: undefined }));
afterEach(() => void Object.assign(crypto, { randomUUID }));

test('each draft has its own key, even on a page that is not served over HTTPS', () => {
  const [first, second] = [newDraft().idempotencyKey, newDraft().idempotencyKey];
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
});
