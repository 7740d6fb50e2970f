import { expect, test } from '@jest/globals';
import { withMarkdownLinks } from './markdown-links.ts';

test('Markdown links to the Markdown of a page if the site has it, but not in code', () => {
  const text = `[one](../notes/one.html#top) [list](../list.html) [this page](start.html) [other host](https://host.example/notes/one.html)

\`\`\`md
[one](../notes/one.html)
\`\`\`
`;
  const files = ['notes/one.html', 'notes/one.md', 'list.html'].map((path) => ({ path, content: '' }));
  const linked = withMarkdownLinks([
    ...files,
    { path: 'guides/start.md', content: text },
    { path: 'guides/start.html', content: text },
  ]);
  expect(linked.at(-2)?.content).toBe(text.replace('../notes/one.html#top', '../notes/one.md#top'));
  expect(linked.at(-1)?.content).toBe(text);
});
