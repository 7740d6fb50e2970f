import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { areDocsOld } from '../../../tooling/src/docs/are-docs-old.ts';
import { docsFolder, writeSite } from '../../../tooling/src/docs/delivery/write-site.ts';
import { guidesFolder } from '../../../tooling/src/docs/guides/read-guides.ts';
import { clientPackage } from '../../../tooling/src/docs/sdk/client-package.ts';
import { buildSite, staticOrigin } from '../../../tooling/src/docs/site.ts';
import { bundleContract } from '../../../tooling/src/effective/bundle.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
const folder = mkdtempSync(join(tmpdir(), 'partner-'));

beforeAll(async () => {
  const client = clientPackage();
  if (client === undefined) throw new Error('The tools to pack the client are not installed.');
  // npm test has built the docs.
  if (areDocsOld() || !existsSync(join(docsFolder, client.path))) {
    await writeSite(await buildSite(bundleContract(), guidesFolder, client), staticOrigin(bundleContract()));
  }
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function textOf(path: string): Promise<string> {
  const response = await fetch(`${server.url}/docs/${path}`);
  expect(response.status).toBe(200);
  return response.text();
}

test('npm installs the client with the command of the guide, without a registry, and a program can use it', async () => {
  const [, url = ''] = /npm install (\S+)/.exec(await textOf('guides/client.md')) ?? [];
  expect(url).toMatch(new RegExp(`^${server.url}/docs/sdk/animal-store-client-.+\\.tgz$`));
  const [checksum, name] = (await textOf('sdk/SHA256SUMS.txt')).trim().split('  ');
  expect(url.endsWith(`/${name}`)).toBe(true);
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(checksum);

  const run = promisify(execFile);
  const environment = { PATH: process.env['PATH'], HOME: folder, ANIMAL_STORE_KEY: server.key };
  const nowhere = [
    '--registry',
    'http://127.0.0.1:9/',
    '--fetch-retries',
    '0',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
  ];
  await run('npm', ['install', url, ...nowhere], { cwd: folder, env: environment });
  writeFileSync(
    join(folder, 'program.mjs'),
    `import { createAnimalStore } from '@animal-store/client/methods';
const store = createAnimalStore({ apiKey: process.env.ANIMAL_STORE_KEY, baseUrl: '${server.url}/v1' });
const rex = await store.pets.create({ body: { name: 'Rex', categoryId: 3 } });
console.log(rex.id, rex.name);
`,
  );
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder, env: environment });
  expect(stdout).toBe('1 Rex\n');
});

test.each(['errors.html', 'guides/keys.html', 'operations/listPets.html', 'reference.html'])(
  '%s links to the client and to a key, without JavaScript',
  async (path) => {
    const [, html = ''] = (await textOf(path)).split('<footer');
    const links = [...html.matchAll(/<a href="([^"]+)">(TypeScript client|Get an API key)<\/a>/g)];
    const addresses = links.map(([, href = '']) => new URL(href, `${server.url}/docs/${path}`).pathname);
    expect(addresses).toEqual(['/docs/guides/client.html', '/docs/get-key.html']);
    for (const address of addresses) expect((await fetch(server.url + address)).status).toBe(200);
  },
);

test('the home page links to the client and its checksum', async () => {
  const links = [...(await textOf('')).matchAll(/href="(sdk\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(links).toEqual([expect.stringMatching(/^sdk\/animal-store-client-.+\.tgz$/), 'sdk/SHA256SUMS.txt']);
});
