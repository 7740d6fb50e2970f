import { expect, test } from '@jest/globals';
import { parseManifest } from './manifest.ts';

const page = {
  mediaType: 'text/html',
  hash: '0',
  isImmutable: false,
  isTemplate: false,
  contentSecurityPolicy: '',
  encodings: ['br'],
};

test('a manifest is read unchanged', () => {
  expect(parseManifest(JSON.stringify({ 'index.html': page })).get('index.html')).toEqual(page);
});

test.each([
  ['no list', '[]', 'is not a list of files'],
  ['an entry without a hash', { ...page, hash: undefined }, 'how to deliver index.html'],
  ['an unknown encoding', { ...page, encodings: ['zip'] }, 'how to deliver index.html'],
])('%s is refused, with what to do', (_, entry, reason) => {
  const text = typeof entry === 'string' ? entry : JSON.stringify({ 'index.html': entry });
  expect(() => parseManifest(text)).toThrow(reason);
  expect(() => parseManifest(text)).toThrow('npm run docs');
});
