import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Edit } from '../../test/edits.ts';
import { root } from '../project.ts';
import { contractsWith } from './cases-fixture.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-diff-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `contract-first diff` with a different contract and different releases. */
function contractDiff(edits: readonly Edit[], releases = folder) {
  const { released, current } = contractsWith(edits);
  writeFileSync(join(folder, 'openapi-1.0.0.yaml'), released.text);
  writeFileSync(join(folder, 'current.yaml'), current.text);
  const parameters = ['packages/tooling/src/commands/diff.ts', join(folder, 'current.yaml'), releases];
  return spawnSync(process.execPath, parameters, { cwd: root, encoding: 'utf8' });
}

test('the command fails for a breaking change, with its place', () => {
  const { status, stderr } = contractDiff([{ at: '#/components/parameters/Limit/schema/maximum', value: 50 }]);
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /current\.yaml:\d+: parameter Limit \(listBooks\): Upper bound changed from '<= 100' to '<= 50'\. Keep/,
  );
});

test('the command passes when nothing changed', () => {
  const { status, stdout } = contractDiff([]);
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringMatching(/^since 1\.0\.0: 0 breaking/) });
});

test('the command passes before the first release, and says that there is none', () => {
  const { status, stdout } = contractDiff([{ at: '#/paths/~1books' }], join(folder, 'none'));
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'There is no release to compare with yet.\n' });
});
