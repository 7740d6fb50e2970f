import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { settingNames } from '../../../packages/server/test/setting-names.ts';
import { root } from '../../root.ts';
import { eventually } from '../../testing/child.ts';
import { freePort } from '../../testing/free-port.ts';
import { type BuiltImage, buildImage } from './build.ts';
import { entriesIn } from './entries.ts';
import { imageSettings, readDockerfile } from './instructions.ts';
import { type ImageProcess, sealImage } from './run.ts';

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const { defaults, stages } = readDockerfile(dockerfile);
const server = stages.at(-1)?.instructions ?? [];
const textOf = (keyword: string) => server.find((instruction) => instruction.keyword === keyword)?.text ?? '';

describe('the Dockerfile', () => {
  test('takes Node at the version of the project, from images that name no registry', () => {
    const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
    expect(defaults).toEqual({ NODE_VERSION: catalog.node });
    const images = stages.map(({ base }) => base).filter((base) => base.includes(':'));
    expect(images).toEqual([`node:${catalog.node}-slim`, `node:${catalog.node}-alpine`]);
  });

  test('takes pnpm at the version of the project, and exactly what the lockfile says', () => {
    const installs = stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ text }) => text.includes(' install '));
    expect(installs).toHaveLength(2);
    for (const { text } of installs) {
      expect(text).toContain(
        'npx --yes "pnpm@$(node --print \'require("./package.json").config.pnpm\')" install --frozen-lockfile',
      );
    }
  });

  test('runs as a user that is not root, and sets nothing that the server does not read', () => {
    const { user, environment } = imageSettings(dockerfile);
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(Object.keys(environment).filter((name) => !settingNames.has(name))).toEqual([]);
    expect(textOf('STOPSIGNAL')).toBe('SIGTERM');
  });
});

describe('the image that it builds', () => {
  let image: BuiltImage;
  let run: ReturnType<typeof sealImage>;
  let files: string[] = [];
  let bytes = 0;
  const running: ImageProcess[] = [];

  beforeAll(() => {
    image = buildImage();
    const entries = entriesIn(image.folder);
    files = entries.map(({ path }) => relative(image.folder, path));
    bytes = entries.reduce((sum, { path, entry }) => sum + (entry.isFile() ? lstatSync(path).size : 0), 0);
    run = sealImage(image);
  }, 600_000);
  afterAll(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    image?.remove();
  });

  async function start(settings: Record<string, string> = {}) {
    const port = await freePort();
    const started = run(image.command, { PORT: String(port), ...settings });
    running.push(started);
    await eventually(
      () => started.output().includes('contract'),
      () => `It does not start:\n${started.output()}`,
    );
    return { ...started, port, url: `http://127.0.0.1:${port}` };
  }

  test('is small: less than 40 MB beside Node', () => {
    expect(bytes).toBeLessThan(40e6);
    expect(bytes).toBeGreaterThan(10e6);
  });

  test('has nothing that belongs to one platform, no tests, and no tools that only developers need', () => {
    const ours = files.filter((file) => !file.includes('node_modules'));
    expect(ours.filter((file) => /\.test\.ts$|-fixture\.ts$|\/test\/|\/suite\//.test(file))).toEqual([]);
    expect(files.filter((file) => file.endsWith('.node'))).toEqual([]);
    const packages = files.flatMap((file) => /^node_modules\/\.pnpm\/([^/]+)$/.exec(file)?.[1] ?? []);
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter((name) => /^(typescript|jest|esbuild|@biomejs|@redocly|node@)/.test(name))).toEqual([]);
  });

  test('serves the API and its docs where only the data may be written, and ends with 0', async () => {
    const { url, child, ended, output } = await start();
    const made = run(['node', 'packages/server/src/cli.ts', 'create', '--plan', 'free']);
    expect(await made.ended).toBe(0);
    const headers = {
      authorization: `Bearer ${/as_live_\w+/.exec(made.output())?.[0]}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ name: 'Rex', categoryId: 3 });
    expect((await fetch(`${url}/v1/pets`, { method: 'POST', headers, body })).status).toBe(201);
    for (const page of ['/docs/', '/docs/reference.html', '/openapi.yaml', '/openapi.json', '/llms.txt', '/readyz']) {
      expect([page, (await fetch(`${url}${page}`)).status]).toEqual([page, 200]);
    }
    expect(readdirSync(join(image.folder, 'data')).sort()).toContain('animal-store.db');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output()).not.toContain('as_test_');
  });

  test('runs several processes, too', async () => {
    const { url, child, ended } = await start({ WORKERS: '2' });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('is healthy while the server answers, on whatever port, and not after', async () => {
    const check: string[] = JSON.parse(textOf('HEALTHCHECK').replace(/^CMD /, ''));
    const { port, child, ended } = await start();
    const isHealthy = () => run(check, { PORT: String(port) }).ended;
    expect(await isHealthy()).toBe(0);
    child.kill('SIGTERM');
    await ended;
    expect(await isHealthy()).toBe(1);
  });

  test('has the command that moves an embedded database, and says what it needs', async () => {
    const help = run(['node', 'packages/server/src/move.ts', '--help']);
    expect(await help.ended).toBe(0);
    expect(help.output()).toContain('postgres://');
  });
});
