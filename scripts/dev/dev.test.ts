import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually, type RunningChild, runNode } from '../testing/child.ts';
import { freePort } from '../testing/free-port.ts';
import { copyWorkspace } from '../testing/workspace-copy.ts';

const copy = copyWorkspace();
const contract = join(copy.folder, 'openapi.yaml');
const goodContract = readFileSync(contract, 'utf8');
const source = join(copy.folder, 'packages/server/src/common/clock.ts');
const goodSource = readFileSync(source, 'utf8');

let port = 0;
let dev: RunningChild;
let authorization = '';

beforeAll(async () => {
  port = await freePort();
  dev = startDev();
  authorization = `Bearer ${await printedKey()}`;
  await dev.printed(/lint +ok/);
  await dev.printed(/docs +built/);
}, 90_000);

afterAll(async () => {
  dev.kill('SIGINT');
  await dev.ended;
  copy.remove();
});

function startDev(): RunningChild {
  return runNode(copy.folder, ['scripts/dev.ts'], { PORT: String(port) });
}

async function printedKey(): Promise<string | undefined> {
  return /API key +(\S+)/.exec(await dev.printed(/API key .*\n/))?.[1];
}

/** As editors do that put a new file in the place of the old one. */
function save(file: string, text: string): void {
  dev.listenAnew();
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}

async function petNames(): Promise<string[]> {
  const reply = await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { authorization } });
  const pets: { name: string }[] = JSON.parse(await reply.text());
  return pets.map(({ name }) => name);
}

function isAnswering(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

test('on saving the contract types, lint and docs follow, and the server restarts with its database', async () => {
  await fetch(`http://127.0.0.1:${port}/v1/pets`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Rex', categoryId: 3 }),
  });
  save(contract, goodContract.replace('summary: List animals', 'summary: List the animals'));
  await dev.printed(/types +wrote openapi\.json, openapi\.ts/);
  await dev.printed(/lint +ok/);
  await dev.printed(/docs +built/);
  await dev.printed(/server restarted for openapi\.json, openapi\.ts/);
  for (const file of ['packages/contract/src/generated/openapi.ts', 'dist/docs/assets/search-index.json']) {
    expect(readFileSync(join(copy.folder, file), 'utf8')).toContain('List the animals');
  }
  expect(await petNames()).toEqual(['Rex']);
  expect(dev.output()).not.toContain('API key');
}, 90_000);

test('a contract that is no YAML is named by its line, and all goes on until it is mended', async () => {
  save(contract, goodContract.replace('summary: List animals', 'summary: "List animals'));
  expect(await dev.printed(/lint +errors: 1.*\n.*\n/)).toMatch(/\n {2}openapi\.yaml:\d+:\d+ \w+/);
  await dev.printed(/types +left as they were: openapi\.yaml cannot be read/);
  expect(await petNames()).toEqual(['Rex']);
  save(contract, goodContract);
  await dev.printed(/lint +ok/);
  await dev.printed(/server restarted/);
}, 90_000);

test('a finding of lint is named by its line, and the types follow nevertheless', async () => {
  const summary = 'summary: Get an animal';
  save(contract, goodContract.replace(`      ${summary}\n`, ''));
  expect(await dev.printed(/lint +errors: 1.*\n.*\n/)).toMatch(/\n {2}openapi\.yaml:\d+:\d+ .*summary.* \(\S+\)\n/);
  save(contract, goodContract);
  await dev.printed(/lint +ok/);
}, 90_000);

test('a mistake in the code is shown once, and the next change starts the server again', async () => {
  save(source, `${goodSource}\nexport const broken: = 1;\n`);
  const output = await dev.printed(/server ended by itself \(code 1\)/);
  // Once for each start: files generated for the test before may start the server once more.
  expect(output.split('SyntaxError').length).toBeLessThanOrEqual(output.split(/server (?:ended|restarted)/).length);
  expect(await isAnswering()).toBe(false);
  save(source, goodSource);
  await dev.printed(/server restarted for .*clock\.ts/);
  expect(await petNames()).toEqual(['Rex']);
}, 90_000);

test('Ctrl-C ends it all; a new start has the same key; killed without notice, it leaves no server behind', async () => {
  dev.kill('SIGINT');
  expect(await dev.ended).toBe(0);
  expect(await isAnswering()).toBe(false);
  dev = startDev();
  expect(`Bearer ${await printedKey()}`).toBe(authorization);
  expect(await isAnswering()).toBe(true);
  dev.kill('SIGKILL');
  await eventually(
    async () => !(await isAnswering()),
    () => 'The server outlived npm run dev.',
  );
}, 90_000);

test('--help tells what it does; an unknown option is refused', async () => {
  const help = runNode(copy.folder, ['scripts/dev.ts', '--help'], {});
  expect(await help.ended).toBe(0);
  expect(help.output()).toContain('Ctrl-C');
  const wrong = runNode(copy.folder, ['scripts/dev.ts', '--fast'], {});
  expect(await wrong.ended).toBe(1);
  expect(wrong.output()).toContain("Unknown option '--fast'");
}, 90_000);
