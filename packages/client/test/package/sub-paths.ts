import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../../tooling/src/project.ts';
import { linkPackages, type PackedClient, runNode } from './packed.ts';

const compiler = join(root, 'node_modules/typescript/bin/tsc');

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const [, ofReadme = ''] = /```ts\n([^`]+animalStoreMocks.+?)```/s.exec(readme) ?? [];
const [, aboutErrors = ''] = readme.split('\n### Error codes\n');
const store =
  "import { createAnimalStore } from '@animal-store/client';\nconst store = createAnimalStore({ apiKey: 'a', baseUrl: '' });\n";
const ofErrors = [...aboutErrors.matchAll(/```ts\n(.+?)```/gs)].slice(0, 2).map(([, code]) => `${store}${code}`);
const typesOfErrors = readFileSync(new URL('../types/errors.types.ts', import.meta.url), 'utf8')
  .replaceAll(
    /'..\/..\/src\/(?:(\w+)\/)?index.ts'/g,
    (_, entry?: string) => `'@animal-store/client${entry === undefined ? '' : `/${entry}`}'`,
  )
  .replaceAll('client/operations', 'client/methods');

/** Tests of the sub-paths of the tarball in a project with the peer dependencies installed. */
export function describeSubPaths(packed: () => PackedClient): void {
  test('a project that uses only the client installs no peer dependencies', async () => {
    const project = packed().project('node-esm');
    const manifest = join(project, 'node_modules/@animal-store/client/package.json');
    const { peerDependencies, peerDependenciesMeta } = JSON.parse(readFileSync(manifest, 'utf8'));
    const optional = Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, { optional: true }]));
    expect(peerDependenciesMeta).toEqual(optional);
    const load = (entry: string) =>
      runNode(process.execPath, project, ['--eval', `import('@animal-store/client${entry}')`]);
    await expect(load('')).resolves.toEqual({ stdout: '', stderr: '' });
    await expect(load('/react')).rejects.toThrow("Cannot find package 'react'");
    await expect(load('/mocks')).rejects.toThrow("Cannot find package 'msw'");
  });

  describe.each([
    ['MSW 2', 'msw'],
    ['MSW 3', 'msw-3'],
  ])('hooks and mocks, with %s,', (_, msw) => {
    beforeAll(async () => {
      const names = ['@tanstack/react-query', 'react', 'react-dom', '@types/react', '@types/react-dom'];
      const project = packed().project('sub-paths');
      linkPackages(project, { ...Object.fromEntries(names.map((name) => [name, name])), msw });
      writeFileSync(join(project, 'readme.mts'), ofReadme);
      for (const [number, code] of ofErrors.entries()) writeFileSync(join(project, `errors-${number}.mts`), code);
      writeFileSync(join(project, 'errors.types.mts'), typesOfErrors);
      await runNode(process.execPath, project, [compiler]);
    });

    test.each([
      ['imported', 'esm.mjs'],
      ['required', 'commonjs.cjs'],
    ])('compile and work if they are %s', async (__, program) => {
      const { stdout, stderr } = await runNode(process.execPath, packed().project('sub-paths'), [program]);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({ shown: 'Rex<!-- -->Mia<!-- -->60', isSameClass: true });
    });

    test('work as the README shows', async () => {
      const output = await runNode(process.execPath, packed().project('sub-paths'), ['readme.mjs']);
      expect(output).toEqual({ stdout: "[ 'Rex', 'Mia', 'Bob' ]\ninvalid_request\nrate_limited\n2\n", stderr: '' });
    });
  });
}
