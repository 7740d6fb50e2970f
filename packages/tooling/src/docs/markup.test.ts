import { expect, test } from '@jest/globals';
import { escapeHtml } from './markup.ts';

test('a text with every special character stays a text in elements and in attributes', () => {
  expect(escapeHtml(`<a b="c" d='e'>&lt;`)).toBe('&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;lt;');
});
