import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runNode } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { root } from '../../../tooling/src/project.ts';
import { packCopy } from '../../../tooling/src/release/tarballs.ts';
import { copyWorkspace } from '../../../tooling/src/testing/workspace-copy.ts';

/** Another repository: the second API, with the service from its tarball, outside this project. */
let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'installed-service-')));
  const modules = join(folder, 'node_modules');
  const service = join(modules, '@contract-first/service');
  mkdirSync(service, { recursive: true });
  const copy = copyWorkspace();
  try {
    const [tarball = ''] = packCopy(copy.folder, ['service']);
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', service]);
  } finally {
    copy.remove();
  }
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(service, 'package.json'), 'utf8'),
  );
  // Of the tarball itself, and what its types refer to. npm would download the same packages.
  for (const name of [...Object.keys(dependencies), '@types/express', '@types/pg']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(realpathSync(join(root, 'packages/service/node_modules', name)), join(modules, name));
  }
  symlinkSync(realpathSync(join(root, 'node_modules/@types/node')), join(modules, '@types/node'));
  for (const name of ['main.ts', 'api-contract.ts', 'operations', 'generated']) {
    cpSync(join(import.meta.dirname, name), join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), '{ "name": "field-notes", "private": true, "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = [
  '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --allowImportingTsExtensions',
  '--module nodenext --target es2024 --lib es2024,esnext.disposable --types node',
].flatMap((line) => line.split(' '));

test('the operations of another repository compile with the types of the tarball', () => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const compile = () =>
    spawnSync(process.execPath, [compiler, ...options, 'main.ts'], { cwd: folder, encoding: 'utf8' }).stdout;
  expect(compile()).toBe('');
  const operation = join(folder, 'operations/getNote.ts');
  const written = readFileSync(operation, 'utf8');
  writeFileSync(operation, written.replace('status: 200', 'status: 418'));
  expect(compile()).toContain('418');
  writeFileSync(operation, written);
}, 120_000);

describe('on SQLite', () => describeService(() => `sqlite:${join(folder, 'notes.db')}`));
describeOnPostgres('on PostgreSQL', (postgres) => describeService(() => postgres.freshUrl()));

function describeService(freshUrl: () => string | Promise<string>): void {
  test('the tarball serves the contract, and its commands make keys', async () => {
    const environment = { NODE_ENV: 'test', PORT: '0', DATABASE_URL: await freshUrl() };
    const server = runNode(folder, ['main.ts'], environment);
    try {
      const [, url] = /API +(http:\S+)/.exec(await server.printed(/API +http:\S+/)) ?? [];
      const command = ['main.ts', 'keys', 'create', '--plan', 'free', '--json'];
      const env = { ...process.env, ...environment };
      const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder, env });
      const { key }: { key: string } = JSON.parse(stdout);
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const note = {
        kind: 'text',
        title: 'Heron',
        text: 'At dawn.',
        weight: 0.5,
        seenOn: '2026-11-22',
        observer: null,
      };
      const create = (body: object) => fetch(`${url}/notes`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect((await create({ ...note, tags: [] })).status).toBe(201);
      expect((await create({ ...note, weight: 'heavy' })).status).toBe(400);
      const listed = await fetch(`${url}/notes`, { headers });
      expect({ status: listed.status, text: await listed.text() }).toMatchObject({
        status: 200,
        text: expect.stringContaining('Heron'),
      });
    } finally {
      server.kill('SIGTERM');
    }
    expect(await server.ended).toBe(0);
  });
}
