import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractJson } from '@animal-store/contract/document';
import { expect, test } from '@jest/globals';
import { readGuides } from '../../../tooling/src/docs/guides/read-guides.ts';
import { machineFiles } from '../../../tooling/src/docs/machines/machine-files.ts';
import { root } from '../../../tooling/src/project.ts';

const guides = readGuides(JSON.parse(contractJson));
const files = new Map(machineFiles({ json: contractJson }, guides).map(({ path, content }) => [path, String(content)]));

test('llms.txt has the name, the summary, the contract and each guide as Markdown', () => {
  const text = files.get('llms.txt') ?? '';
  expect(text).toMatch(/^# Animal Store\n\n> List, add, order and manage the animals in a store/);
  for (const { name, title } of guides) expect(text).toContain(`- [${title}](guides/${name}.md): `);
  for (const name of ['openapi.yaml', 'openapi.json', 'openapi-3.0.yaml']) expect(text).toContain(`(${name})`);
  expect(text.match(/^## /gm)).toHaveLength(3);
});

test('the contract is next to the pages, in its original form and as JSON', () => {
  expect(files.get('openapi.yaml')).toBe(readFileSync(join(root, 'openapi.yaml'), 'utf8'));
  expect(files.get('openapi.json')).toBe(contractJson);
});
