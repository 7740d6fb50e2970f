import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../project.ts';
import { literal } from './literal.ts';

const long = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`name-${index}`, [index, 'a text']]));

test.each<[what: string, value: unknown]>([
  ['texts', ['plain', "it's", 'a "quote"', 'both \' and "', 'a\nline\\', '']],
  ['names', { plain: 1, 'with-hyphen': null, $ref: true, "it's": undefined, deep: { empty: {}, list: [] } }],
  ['a name of every object', JSON.parse('{ "__proto__": 1, "constructor": 2 }')],
  ['what is too long for a line', { long, more: [long, 'x'.repeat(130)] }],
])('writes %s as code that Biome leaves as it is', (_, value) => {
  const code = `export const value = ${literal(value)};\n`;
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const { stdout } = spawnSync(process.execPath, [biome, 'format', '--stdin-file-path=packages/tooling/src/a.ts'], {
    ...{ input: code, encoding: 'utf8', cwd: root },
  });
  expect(code).toBe(stdout);
  expect(new Function(`return ${literal(value)}`)()).toEqual(value);
});
