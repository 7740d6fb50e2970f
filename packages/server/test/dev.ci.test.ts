import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually, type RunningChild, runNode } from '../../testing/src/child.ts';
import { freePort } from '../../testing/src/listen.ts';
import { root } from '../../tooling/src/project.ts';
import { installedCheckout } from '../../tooling/test/checkout.ts';

const copy = installedCheckout();
// Each save starts a type check, and one of all the code takes ten times as long as one of the server's code.
const typesFile = join(copy.folder, 'tsconfig.json');
const types = JSON.parse(readFileSync(typesFile, 'utf8'));
writeFileSync(typesFile, JSON.stringify({ ...types, include: ['packages/server/src/main.ts'] }));
const contract = join(copy.folder, 'openapi.yaml');
const goodContract = readFileSync(contract, 'utf8');
const source = join(copy.folder, 'packages/service/src/app.ts');
const goodSource = readFileSync(source, 'utf8');

/** The line that the server prints when it listens after a restart. */
const restarted = /server: restarting.*API key/s;

let port = 0;
let dev: RunningChild;
let authorization = '';

beforeAll(async () => {
  port = await freePort();
  dev = startDev();
  authorization = `Bearer ${await printedKey()}`;
  await dev.printed(/generate: ok/);
}, 240_000);

afterAll(async () => {
  dev.kill('SIGINT');
  await dev.ended;
  copy.remove();
});

function startDev(): RunningChild {
  // npm run dev has the cache from scripts/run.mjs.
  const cache = join(root, 'node_modules/.cache/compile');
  return runNode(copy.folder, ['packages/tooling/src/commands/dev.ts'], {
    PORT: String(port),
    NODE_ENV: 'test',
    NODE_COMPILE_CACHE: cache,
  });
}

async function printedKey(): Promise<string | undefined> {
  return /API key +(\S+)/.exec(await dev.printed(/API key .*\n/))?.[1];
}

/** Saves a file by replacing it with a new one, as some editors do. */
function save(file: string, text: string): void {
  dev.clearOutput();
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}

async function petNames(): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { authorization } });
  const pets: { name: string }[] = JSON.parse(await response.text());
  return pets.map(({ name }) => name);
}

function isAnswering(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

test('on saving the contract, generate and lint run, and docs once somebody reads them; the server keeps its database', async () => {
  await fetch(`http://127.0.0.1:${port}/v1/pets`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Rex', categoryId: 3 }),
  });
  save(contract, goodContract.replace('summary: List animals', 'summary: List the animals'));
  await dev.printed(/lint: ok/);
  await dev.printed(restarted);
  expect(await dev.printed(/generate: ok/)).not.toContain('docs:');
  await fetch(`http://127.0.0.1:${port}/docs/`);
  await dev.printed(/docs: ok/);
  for (const file of ['packages/contract/src/generated/openapi.ts', 'dist/docs/assets/search.json']) {
    expect(readFileSync(join(copy.folder, file), 'utf8')).toContain('List the animals');
  }
  expect(await petNames()).toEqual(['Rex']);
  save(contract, goodContract.replace('summary: List animals', 'summary: List all animals'));
  await dev.printed(/docs: ok/);
}, 240_000);

test('a contract that is not valid YAML is reported with its line, and the server keeps running', async () => {
  save(contract, goodContract.replace('summary: List animals', 'summary: "List animals'));
  expect(await dev.printed(/lint: failed/)).toMatch(/openapi\.yaml:\d+:\d+/);
  await dev.printed(/openapi\.yaml:\d+:\d+.*generate: failed/s);
  expect(await petNames()).toEqual(['Rex']);
}, 240_000);

test('a syntax error in the code is reported once, and the next save starts the server again', async () => {
  save(source, `${goodSource}\nexport const broken: = 1;\n`);
  const output = await dev.printed(/server: exited with code 1/);
  expect(output.match(/SyntaxError/g)).toHaveLength(1);
  expect(await isAnswering()).toBe(false);
  save(source, goodSource);
  await dev.printed(restarted);
  expect(await petNames()).toEqual(['Rex']);
}, 240_000);

test('Ctrl-C stops everything; a new start has the same key; no server remains if npm run dev is killed', async () => {
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
}, 240_000);
