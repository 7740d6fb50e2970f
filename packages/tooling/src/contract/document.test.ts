import { describe, expect, test } from '@jest/globals';
import { nameOfReference, resolve, targetOf } from './document.ts';

const document = {
  paths: { '/notes/{noteId}': { get: { operationId: 'getNote' } } },
  components: { schemas: { Note: { type: 'object' }, Alias: { $ref: '#/components/schemas/Note' } } },
};

describe('a reference', () => {
  test('leads through escaped slashes and encoded braces', () => {
    for (const path of ['#/paths/~1notes~1{noteId}/get', '#/paths/~1notes~1%7BnoteId%7D/get']) {
      expect(targetOf(document, path)).toEqual({ operationId: 'getNote' });
    }
  });

  test('to a reference is followed by resolve to its end, and by targetOf for one step', () => {
    expect(resolve(document, { $ref: '#/components/schemas/Alias' })).toEqual({ type: 'object' });
    expect(targetOf(document, '#/components/schemas/Alias')).toEqual({ $ref: '#/components/schemas/Note' });
  });

  test('has the name of its component', () => {
    expect(nameOfReference('#/components/schemas/Note')).toBe('Note');
    expect(nameOfReference('#/components/responses/Not~1Found')).toBe('Not/Found');
  });

  test('that leads nowhere has no target', () => {
    expect(targetOf(document, '#/components/schemas/Missing')).toBeUndefined();
  });
});
