/** The recipes of docs/react.md: compiled, bundled by Vite, and used in Chromium with the real server, as a user would. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { type Browser, findChromium, launchChromium, type Page } from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import { type Listening, listenOnLoopback } from '../../testing/src/listen.ts';
import { serve } from './pages.ts';
import { createRecipesProject, type RecipesProject, recipes } from './recipes-project.ts';

const run = promisify(execFile);
const chromium = findChromium();
if (chromium === undefined) leaveOut('the recipes in a browser', 'install Chromium (apt-get install chromium)');

let project: RecipesProject;
let server: TestServer;
let site: Listening;
let browser: Browser;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  project = createRecipesProject(`${server.url}/v1`);
});
afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await server.stop();
  project[Symbol.dispose]();
});

test('the page has all of its files', () => {
  const names = ['add-pet.tsx', 'api.tsx', 'main.tsx', 'mocks.ts', 'pet-name.tsx'];
  const others = ['pets.browser.test.tsx', 'pets.stories.tsx', 'pets.test.tsx', 'pets.tsx', 'worker.ts'];
  const settings = [
    '.storybook/main.ts',
    'index.html',
    'tsconfig.json',
    'vitest.browser.config.ts',
    'vitest.config.ts',
  ];
  const sources = [...names, ...others].map((name) => `src/${name}`);
  expect(Object.keys(recipes).toSorted()).toEqual([...settings, ...sources].toSorted());
});

test('the recipes compile in the strict mode of TypeScript', async () => {
  expect(await project.compile(['**/*.test.tsx', '**/*.stories.tsx'])).toBe('');
});

(chromium === undefined ? describe.skip : describe)('in Chromium', () => {
  const errors: string[] = [];
  beforeAll(async () => {
    const { folder } = project;
    const env = { ...process.env, NODE_ENV: 'production' };
    await run(process.execPath, [join(folder, 'node_modules/vite/bin/vite.js'), 'build'], { cwd: folder, env });
    site = await listenOnLoopback(serve(join(folder, 'dist')));
    browser = await launchChromium(chromium ?? '');
    const animals: [string, string][] = [
      ['Rex', 'available'],
      ['Mia', 'sold'],
      ['Bob', 'available'],
      ['Lou', 'available'],
    ];
    for (const [name, status] of animals) await server.call('createPet', { body: { name, status, categoryId: 3 } });
  });

  async function open(file: string): Promise<Page> {
    const context = await browser.newContext();
    const tab = await context.newPage();
    tab.setDefaultTimeout(60_000);
    tab.on('dialog', (dialog) => void dialog.accept(server.key));
    tab.on('pageerror', ({ message }) => errors.push(message));
    tab.on('console', (message) => {
      if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) errors.push(message.text());
    });
    await tab.goto(`${site.origin}/${file}`);
    return tab;
  }
  afterEach(() => expect(errors.splice(0)).toEqual([]));

  const namesIn = (tab: Page) => tab.getByRole('listitem').locator('strong').allTextContents();
  const namesUntil = async (tab: Page, names: string[]) => {
    await tab
      .getByRole('listitem')
      .nth(names.length - 1)
      .waitFor();
    await tab.locator('[aria-busy="false"]').waitFor();
    expect(await namesIn(tab)).toEqual(names);
  };

  test('the list loads page by page, and its filter survives a reload', async () => {
    const tab = await open('index.html');
    await namesUntil(tab, ['Rex', 'Mia']);
    await tab.getByRole('button', { name: 'Load more' }).click();
    await namesUntil(tab, ['Rex', 'Mia', 'Bob', 'Lou']);
    expect(await tab.getByRole('button', { name: 'Load more' }).count()).toBe(0);
    await tab.getByLabel('Status').selectOption('sold');
    await tab.getByText('Rex', { exact: true }).waitFor({ state: 'detached' });
    await namesUntil(tab, ['Mia']);
    await tab.reload();
    await namesUntil(tab, ['Mia']);
    await tab.goto(`${site.origin}/index.html?status=lost`);
    await namesUntil(tab, ['Rex', 'Mia']);
  });

  test('the form says what is wrong without a request, then what the API says at the same field, and adds the animal', async () => {
    const tab = await open('index.html');
    await namesUntil(tab, ['Rex', 'Mia']);
    let posts = 0;
    let details: object[] | undefined = [{ where: 'body/name', what: 'must not be taken' }];
    await tab.route('**/v1/pets', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      posts += 1;
      if (details === undefined) return route.continue();
      // What only the API knows, in its own form of an error.
      const json = { code: 'invalid_request', message: 'The request is not valid.', details };
      details = undefined;
      await route.fulfill({ status: 400, json, headers: { 'Access-Control-Allow-Origin': '*' } });
    });
    const add = tab.getByRole('button', { name: 'Add' });
    await tab.getByLabel('Name', { exact: true }).fill('');
    await tab.getByLabel('Category').fill('0.5');
    await add.click();
    await tab.getByText('Name must not be empty').waitFor();
    await tab.getByText('Category must be an integer').waitFor();
    expect(posts).toBe(0);
    await tab.getByLabel('Name', { exact: true }).fill('Ida');
    await tab.getByLabel('Category').fill('4');
    await add.click();
    await tab.getByText('Name must not be taken').waitFor();
    expect(await tab.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await tab.getByLabel('Name', { exact: true }).fill('Ada');
    await add.click();
    await tab.getByText('Ada was added.').waitFor();
    expect(posts).toBe(2);
    await tab.getByRole('button', { name: 'Load more' }).click();
    await tab.getByRole('button', { name: 'Load more' }).click();
    await namesUntil(tab, ['Rex', 'Mia', 'Bob', 'Lou', 'Ada']);
  });

  test('a new name is shown before the response, and taken back if the API refuses it', async () => {
    const tab = await open('index.html');
    await namesUntil(tab, ['Rex', 'Mia']);
    const sending = Promise.withResolvers<void>();
    await tab.route('**/v1/pets/*', async (route) => {
      if (route.request().method() === 'PATCH') await sending.promise;
      await route.continue();
    });
    const rename = async (from: string, to: string) => {
      const item = tab.getByRole('listitem').filter({ hasText: from });
      await item.getByLabel(`New name of ${from}`).fill(to);
      await item.getByRole('button').click();
    };
    await rename('Rex', 'Max');
    await tab.locator('strong', { hasText: 'Max' }).waitFor();
    const stored = async () => Object(await server.call('listPets', { query: { limit: 1 } })).body[0].name;
    expect(await stored()).toBe('Rex');
    sending.resolve();
    await expect(until(stored, 'Max')).resolves.toBe('Max');
    await rename('Mia', 'M'.repeat(300));
    await tab.getByRole('alert').waitFor();
    expect(await namesIn(tab)).toEqual(['Max', 'Mia']);
  });
});

/** The first result that equals `expected`, asked for every few milliseconds. */
async function until<Value>(ask: () => Promise<Value>, expected: Value): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (value === expected) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
