import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { outputName, readManifest } from '../../../tooling/src/bundle/manifest.ts';
import { installedCheckout } from '../../../tooling/test/checkout.ts';

/** A second entry, which shares a class with the first and needs a peer. */
const extra = `
import name from 'a-peer/sub';
import type { Pet } from '@animal-store/contract';
import { isNetworkError, NetworkError } from '../index.ts';
export const fail = (pet: Pet): NetworkError => new NetworkError(\`\${pet.name} and \${name}\`);
export { isNetworkError };
`;

const copy = installedCheckout();
afterAll(() => copy.remove());

const client = join(copy.folder, 'packages/client');
const manifestFile = join(client, 'package.json');

function bundle(): { status: number | null; message: string } {
  const parameters = ['packages/tooling/src/main.ts', 'build', '--bundle', 'client'];
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, { cwd: copy.folder, encoding: 'utf8' });
  return { status, message: stdout + stderr };
}

function writeExtra(code: string): void {
  mkdirSync(join(client, 'src/extra'), { recursive: true });
  writeFileSync(join(client, 'src/extra/index.ts'), code);
}

function writePeer(): void {
  const folder = join(client, 'node_modules/a-peer');
  mkdirSync(folder);
  const exports = { './sub': { types: './sub.d.ts', default: './sub.js' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'a-peer', exports }));
  writeFileSync(join(folder, 'sub.js'), "module.exports = 'a peer';");
  writeFileSync(join(folder, 'sub.d.ts'), 'declare const name: string;\nexport = name;\n');
}

function change(changes: object): void {
  writeFileSync(manifestFile, JSON.stringify({ ...readManifest(manifestFile), ...changes }));
}

beforeAll(() => {
  const { exports, peerDependencies } = readManifest(manifestFile);
  change({
    exports: { ...exports, './extra': './src/extra/index.ts' },
    peerDependencies: { ...peerDependencies, 'a-peer': '*' },
  });
});

describe('an entry', () => {
  const dist = join(client, 'dist');

  beforeAll(() => {
    writePeer();
    writeExtra(extra);
    expect(bundle()).toEqual({ status: 0, message: '' });
  });

  test('has one ESM and one CommonJS file, each with types, and there are no other files', () => {
    const names = Object.keys(readManifest(manifestFile).exports).flatMap((entry) =>
      ['.cjs', '.d.cts', '.d.ts', '.js'].map((end) => outputName(entry) + end),
    );
    expect(readdirSync(dist).sort()).toEqual([...names, 'LICENSES.txt', 'shared'].sort());
  });

  test("only the hooks start with 'use client', in ESM and in CommonJS", () => {
    const starts = globSync('**/*.*js', { cwd: dist }).filter((file) =>
      /^'use client';\n/.test(readFileSync(join(dist, file), 'utf8')),
    );
    expect(starts.sort()).toEqual(['react.cjs', 'react.js']);
  });

  test.each(['extra.js', 'extra.cjs', 'extra.d.ts', 'extra.d.cts'])('%s imports only peer dependencies', (file) => {
    const text = readFileSync(join(dist, file), 'utf8');
    expect(text.includes('a-peer/sub')).toBe(!file.includes('.d.'));
    expect(text).not.toMatch(/@(animal-store|contract-first)\//);
  });

  test('is not included in other entries, and shares their classes', () => {
    const require = createRequire(import.meta.url);
    expect(readFileSync(join(dist, 'index.cjs'), 'utf8')).not.toContain('a-peer');
    const { NetworkError } = require(join(dist, 'index.cjs'));
    const error = require(join(dist, 'extra.cjs')).fail({ name: 'Rex' });
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.message).toBe('Rex and a peer');
  });
});

test.each([
  ['a module of Node', "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;", 'node:fs'],
  [
    'a package that is not installed',
    "import pkg from 'a-peer/other';\nexport const name: string = pkg;",
    'a-peer/other',
  ],
])('%s is refused', (_, code, message) => {
  writeExtra(code);
  expect(bundle()).toEqual({ status: 1, message: expect.stringContaining(message) });
});
