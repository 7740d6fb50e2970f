import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { root } from '../../../tooling/src/project.ts';
import { packPackages } from '../../../tooling/src/release/packages.ts';
import { Repository } from './repository.ts';

// The packages as npm has them after a release: 9.9.9 is one of this test.

const parent = realpathSync(mkdtempSync(join(tmpdir(), 'published-')));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test('npm create writes a project outside this repository, whose one number is the version of all packages', () => {
  const names = ['service', 'client-core', 'tooling', 'testing', 'create'];
  const tarballs = packPackages(names, join(parent, 'tarballs'), '9.9.9');
  const npx = new Repository(join(parent, 'npx'));
  npx.install(tarballs);
  const create = join(npx.folder, 'node_modules/@contract-first/create');
  mkdirSync(create);
  execFileSync('tar', ['-xzf', tarballs.at(-1) ?? '', '--strip-components=1', '-C', create]);
  const contract = join(root, 'examples/own-contract/openapi.yaml');
  const options = { cwd: parent, encoding: 'utf8' } as const;
  const program = join(create, 'dist/main.js');
  expect(execFileSync(process.execPath, [program, 'harbour', '--contract', contract], options)).toContain(
    'wrote harbour',
  );

  const project = new Repository(join(parent, 'harbour'));
  const { dependencies, devDependencies } = JSON.parse(project.read('package.json'));
  expect(dependencies).toEqual({ '@contract-first/tooling': '9.9.9' });
  for (const version of Object.values(devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  const { peerDependencies } = JSON.parse(npx.read('node_modules/@contract-first/tooling/package.json'));
  expect(peerDependencies).toEqual({
    '@contract-first/client': '9.9.9',
    '@contract-first/service': '9.9.9',
    '@contract-first/testing': '9.9.9',
  });
  project.install(tarballs);
  expect(project.run('generate')).toMatchObject({ status: 0 });
  expect(project.run('lint', '--code')).toMatchObject({ status: 0 });
  expect(project.node('node_modules/typescript/bin/tsc').output).toBe('');
});

test('tools outside a project say so', () => {
  const tools = join(parent, 'npx/node_modules/@contract-first/tooling/dist/main.js');
  expect(() => execFileSync(process.execPath, [tools, 'lint'], { cwd: parent, stdio: 'pipe' })).toThrow(
    'There is no openapi.yaml and package.json in',
  );
});
