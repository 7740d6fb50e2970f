import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../../../tooling/src/project.ts';
import { operateBlocks, stepsUnder } from './operate-steps.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { scripts } = JSON.parse(read('package.json'));
const { catalog } = parse(read('pnpm-workspace.yaml'));

test('the tests in this folder run every block of commands and of SQL in docs/operate', () => {
  const sources = readdirSync(import.meta.dirname).filter(
    (file) => file.endsWith('.test.ts') && file !== 'pages.ci.test.ts',
  );
  const calls = sources.flatMap((file) => [
    ...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(
      /\b(steps|sql)Under\('([^']+)', '([^']+)', [1-9]\)/g,
    ),
  ]);
  const run = new Set(calls.map(([, kind, page, heading]) => `${kind === 'sql' ? 'sql' : 'sh'} ${page}: ${heading}`));
  const written = operateBlocks
    .filter(({ language }) => language === 'sh' || language === 'sql')
    .map(({ page, heading, language }) => `${language} ${page}: ${heading}`);
  expect(written.length).toBeGreaterThan(15);
  expect([...run].sort()).toEqual([...new Set(written)].sort());
});

test('a block that no test runs is an error', () => {
  expect(stepsUnder('sqlite.md', 'Back up', 1)).toHaveLength(1);
  expect(() => stepsUnder('sqlite.md', 'Back up', 2)).toThrow('has 1 blocks of sh under "Back up"');
});

test('commands that no test can run are written with $, and npm commands run only scripts of the project', () => {
  expect(new Set(operateBlocks.map(({ language }) => language))).toEqual(
    new Set(['sh', 'sql', 'console', 'yaml', 'dockerfile', '']),
  );
  for (const { language, code } of operateBlocks) {
    if (language === 'console') expect(code.trimStart()).toMatch(/^\$ /);
    const named = [...code.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  }
});

test('every file of the project that a block names exists, and every package has the version of `catalog:`', () => {
  const all = operateBlocks.map(({ code }) => code).join('\n');
  const files = [...all.matchAll(/(?<![\w./-])(?:packages|scripts|deploy)\/[\w./-]+/g)].map(([file]) => file);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const packages = [...all.matchAll(/(@[\w-]+\/[\w-]+)@(\d[\w.-]*)/g)].map(([, name = '', version]) => [name, version]);
  expect(packages).toEqual(packages.map(([name = '']) => [name, catalog[name]]));
  expect(packages).toHaveLength(2);
});
