import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { runNode } from '../packages/testing/src/child.ts';
import { checkout } from '../packages/tooling/test/checkout.ts';
import { root } from './root.ts';

const removals: (() => void)[] = [];
afterAll(() => {
  for (const remove of removals) remove();
});

/** A checkout, in which `npx` is a script of the test. It records its parameters in the file `called`. */
function checkoutWithNpx(script: string) {
  const { folder, remove } = checkout((file) => /^(scripts\/(run|install)\.mjs|.*package\.json|pnpm-.*)$/.test(file));
  removals.push(remove);
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  writeFileSync(join(programs, 'npx'), `#!/bin/sh\necho "$@" >> '${folder}/called'\n${script}\n`);
  chmodSync(join(programs, 'npx'), 0o755);
  const PATH = `${programs}:${process.env['PATH']}`;
  return {
    folder,
    called: () => (existsSync(join(folder, 'called')) ? readFileSync(join(folder, 'called'), 'utf8') : ''),
    run: async (parameters: string[]) => {
      const child = runNode(folder, parameters, { PATH });
      return { code: await child.ended, output: child.output() };
    },
  };
}

/** Makes Node claim another version. */
const claimVersion = (version: string) =>
  `--import=data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;

describe('an install that fails says what to do', () => {
  const network =
    'The packages could not be downloaded. Check the network, and the proxy if there is one, then run the command again.';
  const full = /^The disk is full\. Make room for 1 GB in \/.*, then run the command again\.$/;
  const error = (message: string) => JSON.stringify({ name: 'pnpm', level: 'error', code: 'ERR_PNPM_X', message });

  test.each([
    ['no network for npm', 'npm error code ENOTFOUND\nnpm error     at onSocketNT (node:_http_client:904:5)', network],
    [
      'no network for pnpm',
      error('error sending request\n  ├─▶ tcp connect error\n  ╰─▶ Connection refused (os error 111)'),
      network,
    ],
    ['no space for npm', 'npm error code ENOSPC\nnpm error syscall write', full],
    ['no space for pnpm', error('Failed to create package: No space left on device (os error 28)'), full],
    [
      'no permission for npm',
      "npm error code EACCES\nnpm error Error: EACCES: permission denied, mkdir '/nonexistent/x'",
      'This user may not write to /nonexistent/x. Make the folder yours, or run the command as the user that it belongs to.',
    ],
    [
      'no permission for pnpm',
      error('installing: failed to create directory at "/srv/store": Permission denied (os error 13)'),
      'This user may not write to /srv/store. Make the folder yours, or run the command as the user that it belongs to.',
    ],
    [
      'an old lockfile',
      JSON.stringify({ name: 'pnpm', level: 'error', code: 'ERR_PNPM_OUTDATED_LOCKFILE', message: 'Cannot install' }),
      /^pnpm-lock\.yaml does not fit the package\.json files\. Run: npx --yes pnpm@[\d.]+ install --no-frozen-lockfile/,
    ],
  ])('%s', async (_, output, sentence) => {
    const { run } = checkoutWithNpx(`cat >&2 <<'END'\n${output}\nEND\nexit 1`);
    const { code, output: printed } = await run(['scripts/run.mjs', 'start.ts']);
    expect(code).toBe(1);
    const [heading, ...lines] = printed.trimEnd().split('\n');
    expect(heading).toBe('Installing what the server and its docs need ...');
    expect(lines).toHaveLength(1);
    if (typeof sentence === 'string') expect(lines[0]).toBe(sentence);
    else expect(lines[0]).toMatch(sentence);
  });

  test('an unknown reason is printed without a stack, with the command that prints all of it', async () => {
    const { run } = checkoutWithNpx(
      `echo 'npm error The moon is in the way' >&2; echo '    at f (x.js:1:1)' >&2; exit 1`,
    );
    const { code, output } = await run(['scripts/run.mjs', 'check.ts']);
    expect(code).toBe(1);
    expect(output).toMatch(
      /\nThe packages could not be installed:\nnpm error The moon is in the way\nTo see all of it, run: npx --yes pnpm@[\d.]+ install --frozen-lockfile\n$/,
    );
  });

  test('a Node that is too old is named', async () => {
    const { run, called } = checkoutWithNpx('exit 0');
    const { code, output } = await run([claimVersion('18.20.8'), 'scripts/run.mjs', 'start.ts']);
    expect([code, output]).toEqual([
      1,
      'This needs Node 20 or newer, and here is 18.20.8. Install a newer Node, then run the command again.\n',
    ]);
    expect(called()).toBe('');
  });

  test('a platform without the pinned Node needs one that is not older', async () => {
    const { run, folder } = checkoutWithNpx('mkdir -p node_modules; exit 0');
    const { code, output } = await run([claimVersion('22.20.0'), 'scripts/run.mjs', 'start.ts']);
    expect(code).toBe(1);
    expect(output).toMatch(/\nThe pinned Node has no package for \S+ on \S+\. Install Node 24 or newer, then run/);
    writeFileSync(join(folder, 'scripts/start.ts'), "console.log('started');");
    expect(await run(['scripts/run.mjs', 'start.ts'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/started\n$/),
    });
  });
});

describe('what is installed', () => {
  const isForStart = /install --frozen-lockfile --trust-lockfile --prod /;

  test('is what a start needs, and everything as soon as another command needs it', async () => {
    const { run, called } = checkoutWithNpx('mkdir -p node_modules');
    await run(['scripts/run.mjs', '../packages/tooling/src/commands/docs.ts']);
    expect(called()).toMatch(isForStart);
    await run(['scripts/run.mjs', 'start.ts']);
    expect(called().trimEnd().split('\n')).toHaveLength(1);
    await run(['scripts/run.mjs']);
    const [, everything, ...others] = called().trimEnd().split('\n');
    expect(everything).toMatch(/install --frozen-lockfile --reporter=ndjson$/);
    await run(['scripts/run.mjs', 'start.ts']);
    expect(others).toEqual([]);
    expect(called().trimEnd().split('\n')).toHaveLength(2);
  });

  test('stays: a start after an install of everything updates all of it', async () => {
    const { run, called, folder } = checkoutWithNpx('exit 0');
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'node_modules/.modules.yaml'), '{ "included": { "devDependencies": true } }');
    await run(['scripts/run.mjs', 'start.ts']);
    expect(called()).not.toMatch(isForStart);
    expect(called()).toMatch(/install --frozen-lockfile --reporter=ndjson$/m);
  });

  test('is nothing for the help of a command, which then does nothing', async () => {
    const { run, called, folder } = checkoutWithNpx('exit 1');
    writeFileSync(join(folder, 'scripts/check.ts'), '/**\n * npm run check: checks.\n * It is fast.\n */\nthrow 1;\n');
    const printed = { code: 0, output: 'npm run check: checks.\nIt is fast.\n' };
    expect(await run(['scripts/run.mjs', 'check.ts', '--help'])).toEqual(printed);
    expect(called()).toBe('');
  });

  test('is checked by every command of package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [name, command] of Object.entries(scripts)) {
      expect([name, command]).toEqual([name, expect.stringMatching(/^node (--\S+ )*scripts\/run\.mjs( |$)/)]);
      const [, script = '.'] = /^node (?:--\S+ )*scripts\/run\.mjs ([^&\s]+)/.exec(String(command)) ?? [];
      expect(existsSync(join(root, 'scripts', script))).toBe(true);
    }
    expect(Object.keys(scripts).length).toBeGreaterThan(20);
  });
});
