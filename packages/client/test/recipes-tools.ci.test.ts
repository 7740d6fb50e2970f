/** The tests and the story of docs/react.md, run by Vitest and by Storybook, in jsdom and in Chromium. The mocks imitate the API. */
import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findChromium, launchChromium } from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import { listenOnLoopback } from '../../testing/src/listen.ts';
import { findPageTools, serve } from './pages.ts';
import { createRecipesProject, type RecipesProject } from './recipes-project.ts';

const run = promisify(execFile);
const what = "the recipes' tests and story";
const tools = findPageTools(
  what,
  ...['storybook', '@storybook/react-vite', 'vitest', '@vitest/browser-playwright', 'vitest-browser-react'],
  ...['jsdom', '@testing-library/react', '@testing-library/dom', '@testing-library/user-event'],
);
const chromium = findChromium();
if (chromium === undefined) leaveOut(what, 'install Chromium');

(tools && chromium ? describe : describe.skip)('with the mocks,', () => {
  let project: RecipesProject;
  beforeAll(() => {
    project = createRecipesProject('http://127.0.0.1:9/v1');
    const { folder, write, link } = project;
    const library = '@testing-library/react';
    for (const [name, place] of tools ?? []) if (name !== library) link(name, place);
    // A copy uses the React of the recipes, a link that of its own folder.
    const place = tools?.get(library) ?? '';
    cpSync(place, join(folder, 'node_modules', library), { recursive: true });
    link('@babel/runtime', join(place, '../../@babel/runtime'));
    mkdirSync(join(folder, 'public'));
    const worker = 'node_modules/msw/lib/mockServiceWorker.js';
    copyFileSync(join(folder, worker), join(folder, 'public/mockServiceWorker.js'));
    // The libraries are links to several folders, each of which has React.
    const vite = "resolve: { dedupe: ['react', 'react-dom'] }, server: { fs: { strict: false } }";
    const launch = JSON.stringify({ executablePath: chromium, args: ['--no-sandbox'] });
    write('vite.config.mjs', `export default { ${vite} };`);
    write(
      'jsdom.mjs',
      `import { mergeConfig } from 'vitest/config';
       import listed from './vitest.config.ts';
       export default mergeConfig(listed, { ${vite} });`,
    );
    write(
      'browser.mjs',
      `import { playwright } from '@vitest/browser-playwright';
       import { mergeConfig } from 'vitest/config';
       import listed from './vitest.browser.config.ts';
       const provider = playwright({ launchOptions: ${launch} });
       export default mergeConfig(listed, { ${vite}, test: { browser: { provider, screenshotFailures: false } } });`,
    );
  });
  afterAll(() => project[Symbol.dispose]());

  const env = {
    ...process.env,
    NODE_ENV: undefined,
    NODE_OPTIONS: '',
    NO_COLOR: '1',
    STORYBOOK_DISABLE_TELEMETRY: '1',
  };
  const tool = (program: string, ...parameters: string[]) =>
    run(process.execPath, [join(project.folder, 'node_modules', program), ...parameters], { cwd: project.folder, env });

  test.each([
    ['jsdom', 3],
    ['browser', 2],
  ])('Vitest runs the test in %s', async (config, count) => {
    const { stdout } = await tool('vitest/vitest.mjs', 'run', '--config', `${config}.mjs`).catch((error) => error);
    expect(stdout).toMatch(new RegExp(`Tests\\s+${count} passed \\(${count}\\)`));
  });

  test('the tests and the story have the types of their tools', async () => {
    expect(await project.compile()).toBe('');
  });

  test('Storybook shows the stories', async () => {
    await tool('storybook/dist/bin/dispatcher.js', 'build', '--disable-telemetry', '--quiet', '-o', 'built');
    await using site = await listenOnLoopback(serve(join(project.folder, 'built')));
    const browser = await launchChromium(chromium ?? '');
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(60_000);
      const show = (story: string) => page.goto(`${site.origin}/iframe.html?id=pets--${story}&viewMode=story`);
      await show('filled');
      await page.getByRole('listitem').filter({ hasText: 'Rex' }).waitFor();
      expect(await page.getByRole('listitem').count()).toBe(2);
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByRole('listitem').nth(3).waitFor();
      await show('quota-used-up');
      await page
        .getByRole('alert')
        .filter({ hasText: /quota|limit|requests/i })
        .waitFor();
      await show('slow');
      await page.locator('section[aria-busy="true"]').waitFor();
      expect(await page.getByRole('listitem').count()).toBe(0);
    } finally {
      await browser.close();
    }
  });
});
