import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractJson } from '@animal-store/contract/document';
import { afterAll, expect, test } from '@jest/globals';
import { readGuides } from '../../../tooling/src/docs/guides.ts';
import { keyPlaceholder, shownServerOf } from '../../../tooling/src/docs/samples/request.ts';
import { root } from '../../../tooling/src/project.ts';
import { partnersFolder, programs, runnableLanguages } from '../../../tooling/test/samples/programs.ts';
import { syntaxErrors } from '../../../tooling/test/samples/syntax.ts';
import { seeds } from '../../src/operations/seeds.ts';
import { startTestServer, type TestServer } from '../harness.ts';

const contract = JSON.parse(contractJson);
const guides = readGuides(contract);
const partner = partnersFolder();
afterAll(() => partner.remove());

type Block = { name: string; code: string };

/** The code blocks of all guides in a language. A guide may have several. */
function blocks(language: string): Block[] {
  return guides.flatMap(({ name, markdown }) =>
    [...markdown.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => ({ name, code })),
  );
}

/** The client that a reader has after the first guide: `store`. */
function withStore(code: string): string {
  if (code.includes('const store =') || !code.includes('store')) return code;
  return `declare const store: import('@animal-store/client').AnimalStore;\n${code}`;
}

/** The errors of the TypeScript compiler in the files. */
function compile(programs: readonly string[]): string[] {
  const files = programs.map((code, place) => {
    const file = `guide-${place}.ts`;
    writeFileSync(join(partner.folder, file), `${code}\nexport {};\n`);
    return file;
  });
  const options = '--noEmit --strict --module nodenext --target es2022 --types node --allowImportingTsExtensions';
  const ofTheClient = '--skipLibCheck --lib es2024,dom,dom.iterable,esnext.disposable';
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const parameters = [compiler, ...`${options} ${ofTheClient}`.split(' '), ...files];
  const { stdout } = spawnSync(process.execPath, parameters, { cwd: partner.folder, encoding: 'utf8' });
  // A message continues on indented lines.
  return stdout.split(/\n(?! )/).filter((message) => message.includes('error'));
}

const commands = blocks('bash').filter(({ code }) => code.includes('curl '));
const testWithCurl = runnableLanguages().includes('curl') ? test : test.skip;

/** Runs a command as pasted by a reader. Refusals and missing programs show on stderr. */
function paste(code: string, url: string, key: string) {
  const filled = code.replaceAll(shownServerOf(contract), url).replaceAll(keyPlaceholder, key);
  const script = `curl() { command curl --silent --show-error --fail "$@"; }\n${filled}`;
  return run('sh', ['-c', script], { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key });
}

async function run(command: string, parameters: readonly string[], environment: Record<string, string>) {
  // Not spawnSync, because the server runs in this process.
  const child = spawn(command, parameters, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (part) => (stdout += part));
  child.stderr.on('data', (part) => (stderr += part));
  const exitCode = await new Promise<number | null>((ended, failed) =>
    child.once('close', ended).once('error', failed),
  );
  return { exitCode, stdout, stderr };
}

/** The message of curl on stderr for a response with an error status. */
function refusal(status: string): string {
  return `curl: (22) The requested URL returned error: ${status}\n`;
}

/** The commands of a guide as one script, with the server and key that the page fills in. */
function pastedGuide(name: string, { url, key }: TestServer): string {
  const code = blocks('bash').filter((block) => block.name === name && /curl |^export /m.test(block.code));
  return code
    .map((block) => block.code)
    .join('')
    .replaceAll(shownServerOf(contract), `${url}/v1`)
    .replaceAll(keyPlaceholder, key);
}

testWithCurl.each([...new Set(commands.map(({ name }) => name))])(
  'the curl commands of a guide, pasted from top to bottom into one shell, succeed on a seeded server: %s',
  async (name) => {
    // A sandbox begins with the same animals.
    const inSandbox = commands.some((command) => command.name === name && command.code.includes('/sandbox/'));
    await using server = inSandbox
      ? await startTestServer({ databaseUrl: 'sqlite::memory:', config: { sandboxes: true } })
      : await startSeededServer();
    const code = pastedGuide(name, server);
    const script = `curl() { command curl --silent --show-error --fail "$@"; }\n${code}`;
    const { exitCode, stderr } = await run('sh', ['-c', script], {});
    const announced = [...code.matchAll(/^# .*The response is (4\d\d)\./gm)].map(([, status = '']) => refusal(status));
    expect({ code, exitCode, stderr }).toEqual({ code, exitCode: 0, stderr: announced.join('') });
  },
);

async function startSeededServer(): Promise<TestServer> {
  const server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  for (const body of seeds) await server.call('createPet', { body });
  return server;
}

test('the TypeScript program of the whole flow repeats its change on the new version after a 412', async () => {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  await server.call('createPet', { body: { name: 'Rex', categoryId: 3 } });
  const [{ code = '' } = {}] = blocks('ts').filter(({ name }) => name === 'pets');
  // Another program renames the animal before the first PATCH of the guide's program is sent.
  const flow = `import { createAnimalStore } from '@animal-store/client';
const statuses: string[] = [];
async function sendAfterAnotherChange(request: Request): Promise<Response> {
  if (request.method === 'PATCH' && statuses.length === 1) {
    const headers = { ...Object.fromEntries(request.headers), 'if-match': '*', 'idempotency-key': 'another-program' };
    await fetch(request.url, { method: 'PATCH', headers, body: '{ "name": "Mia" }' });
  }
  const response = await fetch(request);
  statuses.push(\`\${request.method} \${response.status}\`);
  return response;
}
const store = createAnimalStore({
  apiKey: process.env.ANIMAL_STORE_KEY ?? '',
  baseUrl: process.env.ANIMAL_STORE_URL ?? '',
  fetch: sendAfterAnotherChange,
});
${code}
console.log(statuses.join(', '));`;
  writeFileSync(join(partner.folder, 'flow.ts'), flow);
  const environment = { ANIMAL_STORE_URL: `${server.url}/v1`, ANIMAL_STORE_KEY: server.key };
  const { stdout, stderr } = await run(process.execPath, [join(partner.folder, 'flow.ts')], environment);
  expect({ stdout, stderr }).toEqual({
    stdout: 'The animal is now called Mia the Great.\nGET 200, PATCH 412, GET 200, PATCH 200\n',
    stderr: '',
  });
});

test('every program in TypeScript compiles with the client, and an invalid one does not', () => {
  const programs = blocks('ts').map(({ code }) => withStore(code));
  expect(programs.length).toBeGreaterThan(5);
  const wrong = withStore("await store.POST('/pets', { body: { title: 'Rex', categoryId: 3 } });");
  expect(compile([...programs, wrong])).toEqual([
    expect.stringMatching(new RegExp(`^guide-${programs.length}\\.ts.*'title' does not exist`, 's')),
  ]);
});

const programFile = { python: 'program.py', java: 'Animals.java' };
const runnable = runnableLanguages();

/** The guide whose programs need a sandbox. */
const testInCi = 'test-in-ci';

const ciPrograms = [
  ['typescript', 'ts', 'expired-order.ts'],
  ['python', 'python', 'expired_order.py'],
] as const;

test.each(ciPrograms)(
  'the test in CI in %s passes twice in a sandbox, and prints the transcript if it fails',
  async (language, tag, name) => {
    const [{ code = '' } = {}] = blocks(tag).filter((block) => block.name === testInCi);
    expect(code).toContain('/sandbox/transcript');
    if (!runnable.includes(language)) return;
    await using server = await startTestServer({ databaseUrl: 'sqlite::memory:', config: { sandboxes: true } });
    await server.call('createPet', { body: { name: 'Max', categoryId: 3 } });
    const environment = { ANIMAL_STORE_URL: `${server.url}/v1`, ANIMAL_STORE_KEY: server.key };
    const runProgram = (source: string) => {
      const file = join(partner.folder, name);
      writeFileSync(file, source);
      const [command, ...options] = programs[language].command;
      return run(command, [...options, file], environment);
    };
    const passed = { exitCode: 0, stdout: 'The order has expired.\n', stderr: '' };
    expect(await runProgram(code)).toEqual(passed);
    expect(await runProgram(code)).toEqual(passed);
    // An order that is one minute old has not expired.
    const failed = await runProgram(code.replace(/172_?800/, '60'));
    expect(failed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('`createOrder`') });
    expect(failed.stdout).not.toContain(server.key);
  },
);

test.each(['python', 'java'] as const)('every program in %s runs unchanged against a real server', async (language) => {
  const found = blocks(language).filter(({ name }) => name !== testInCi);
  expect(found.length).toBeGreaterThan(0);
  expect(found.flatMap(({ code }) => syntaxErrors(language, code))).toEqual([]);
  if (!runnable.includes(language)) return;
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  const environment = { ANIMAL_STORE_URL: `${server.url}/v1`, ANIMAL_STORE_KEY: server.key };
  for (const { name, code } of found) {
    const file = join(partner.folder, programFile[language]);
    writeFileSync(file, code);
    const [command, ...options] = programs[language].command;
    const { exitCode, stdout, stderr } = await run(command, [...options, file], environment);
    expect({ name, exitCode, stderr }).toEqual({ name, exitCode: 0, stderr: '' });
    if (name === 'languages') expect(stdout).toContain('Rex');
  }
  const { body: pets } = await server.call('listPets', {});
  expect(pets).toMatchObject([{ name: 'Rex', categoryId: 3 }]);
});

testWithCurl('the commands about orders sell the animal that they add', async () => {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  const { code = '' } = commands.find(({ name }) => name === 'orders') ?? {};
  expect(JSON.parse((await paste(code, `${server.url}/v1`, server.key)).stdout)).toMatchObject({ status: 'completed' });
  expect((await server.call('listPets', {})).body).toMatchObject([{ name: 'Rex', status: 'sold' }]);
});
