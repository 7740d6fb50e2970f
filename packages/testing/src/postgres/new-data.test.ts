import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { type Initdb, templateOf } from './new-data.ts';

const run = promisify(execFile);

/** As `initdb`, whose results differ in an identifier that a replica compares. */
const initdb = `#!/bin/sh
if [ "$1" = --version ]; then echo "$0"; exit; fi
sleep 1
mkdir "$2"
echo $$ > "$2/identifier"
`;

const makeNewData = `
  import { readFileSync } from 'node:fs';
  import { makeNewData } from ${JSON.stringify(join(import.meta.dirname, 'new-data.ts'))};
  makeNewData(process.argv[1], JSON.parse(process.argv[2]));
  process.stdout.write(readFileSync(process.argv[1] + '/data/identifier', 'utf8'));
`;

test('processes that make the first data at the same time have the same, so that a replica can follow', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'new-data-'));
  const program = join(folder, basename(folder));
  const options: Initdb = { program, password: '', environment: { PATH: '/usr/bin:/bin' }, owner: undefined };
  writeFileSync(program, initdb, { mode: 0o755 });
  try {
    const made = await Promise.all(
      [1, 2, 3].map((count) => {
        const own = join(folder, `${count}`);
        mkdirSync(own);
        return run(process.execPath, ['--input-type=module', '-e', makeNewData, own, JSON.stringify(options)]);
      }),
    );
    const identifiers = made.map(({ stdout }) => stdout);
    expect(identifiers[0]).toMatch(/^\d+\n$/);
    expect(new Set(identifiers).size).toBe(1);
  } finally {
    rmSync(templateOf(options), { recursive: true, force: true });
    rmSync(folder, { recursive: true });
  }
});
