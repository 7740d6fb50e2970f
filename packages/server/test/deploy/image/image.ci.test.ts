import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { eventually } from '../../../../testing/src/child.ts';
import { freePort } from '../../../../testing/src/free-port.ts';
import { root } from '../../../../tooling/src/project.ts';
import { nodeOptions } from '../../../../tooling/test/node-options.ts';
import { settingNames } from '../../setting-names.ts';
import { type BuiltImage, buildImage, defaults, imageSettings, lastText, runInImage, stages } from './image.ts';

describe('the Dockerfile', () => {
  test('uses the Node version of the project, from images without a registry', () => {
    const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
    expect(defaults).toEqual({ NODE_VERSION: catalog.node });
    const images = stages.map(({ base }) => base).filter((base) => base.includes(':'));
    expect(images).toEqual([`node:${catalog.node}-slim`, `node:${catalog.node}-alpine`]);
  });

  test('uses the pnpm version of the project, and the lockfile', () => {
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

  test('starts the server with the Node options of npm start', () => {
    expect(nodeOptions).toEqual([
      expect.stringMatching(/^--max-semi-space-size=\d+$/),
      '--no-allocation-site-pretenuring',
    ]);
    expect(JSON.parse(lastText('CMD'))).toEqual(['node', ...nodeOptions, 'packages/server/src/main.ts']);
  });

  test('runs as a user other than root, and sets no variable that the server does not read', () => {
    const { user, environment } = imageSettings;
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(Object.keys(environment).filter((name) => !settingNames.has(name))).toEqual([]);
    expect(lastText('STOPSIGNAL')).toBe('SIGTERM');
  });
});

describe('the image that it builds', () => {
  let image: BuiltImage;
  let files: string[] = [];
  const running: ReturnType<typeof runInImage>[] = [];
  const run = (command: readonly string[], settings: Record<string, string> = {}) => {
    const started = runInImage(image, command, { DATABASE_URL: 'sqlite:data/animal-store.db', ...settings });
    running.push(started);
    return started;
  };

  beforeAll(() => {
    image = buildImage();
    files = filesIn(image.app);
  }, 600_000);
  afterAll(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    image?.remove();
  });

  async function start(settings: Record<string, string> = {}) {
    const port = await freePort();
    const started = run(JSON.parse(lastText('CMD')), { PORT: String(port), ...settings });
    await eventually(
      () => started.output().includes('contract'),
      () => `It does not start:\n${started.output()}`,
    );
    return { ...started, port, url: `http://127.0.0.1:${port}` };
  }

  test('is smaller than 40 MB without Node.js', () => {
    const bytes = files.reduce((sum, file) => sum + lstatSync(join(image.app, file)).size, 0);
    expect(bytes).toBeLessThan(40e6);
    expect(bytes).toBeGreaterThan(10e6);
  });

  test('has no native code, no tests and no development tools', () => {
    const ours = files.filter((file) => !file.includes('node_modules'));
    expect(ours.filter((file) => /\.test\.ts$|-fixture\.ts$|\/test\/|\/suite\//.test(file))).toEqual([]);
    expect(files.filter((file) => file.endsWith('.node'))).toEqual([]);
    const packages = readdirSync(join(image.app, 'node_modules/.pnpm'));
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter((name) => /^(typescript|jest|esbuild|@biomejs|@redocly|node@)/.test(name))).toEqual([]);
  });

  test('serves the API and its docs while only the data is writable, and exits with 0', async () => {
    const { url, child, ended, output } = await start();
    const made = run(['node', 'packages/server/src/main.ts', 'keys', 'create', '--plan', 'free']);
    expect(await made.ended).toBe(0);
    const headers = {
      authorization: `Bearer ${/as_live_\w+/.exec(made.output())?.[0]}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ name: 'Rex', categoryId: 3 });
    expect((await fetch(`${url}/v1/pets`, { method: 'POST', headers, body })).status).toBe(201);
    for (const page of [
      '/docs/',
      '/docs/reference.html',
      '/docs/sdk/SHA256SUMS.txt',
      '/openapi.yaml',
      '/openapi.json',
      '/llms.txt',
      '/readyz',
    ]) {
      expect([page, (await fetch(`${url}${page}`)).status]).toEqual([page, 200]);
    }
    expect(readdirSync(join(image.app, 'data')).sort()).toContain('animal-store.db');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output()).not.toContain('as_test_');
  });

  test('is healthy while the server answers, on any port, and not after', async () => {
    const check: string[] = JSON.parse(lastText('HEALTHCHECK').replace(/^CMD /, ''));
    const { port, child, ended } = await start();
    const isHealthy = () => run(check, { PORT: String(port) }).ended;
    expect(await isHealthy()).toBe(0);
    child.kill('SIGTERM');
    await ended;
    expect(await isHealthy()).toBe(1);
  });

  test('has the command that moves an embedded database', async () => {
    const help = run(['node', 'packages/server/src/main.ts', 'move', '--help']);
    expect(await help.ended).toBe(0);
    expect(help.output()).toContain('postgres://');
  });
});

/** Every file, without following symbolic links. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return entry.isFile() ? [entry.name] : [];
    return filesIn(join(folder, entry.name)).map((file) => join(entry.name, file));
  });
}
