/** The test and the story of docs/react.md, run by Vitest and by Storybook in Chromium. The mocks imitate the API. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findChromium, launchChromium } from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import { listenOnLoopback } from '../../testing/src/listen.ts';
import { serve } from './package/page.ts';
import { findPageTools } from './page-tools.ts';
import { createRecipesProject, type RecipesProject } from './recipes-project.ts';

const run = promisify(execFile);
const what = "the recipes' test and story";
const tools = findPageTools(
  what,
  ...['storybook@10', '@storybook/react-vite@10', 'vitest@5', '@vitest/browser-playwright@5', 'vitest-browser-react@2'],
);
const chromium = findChromium();
if (chromium === undefined) leaveOut(what, 'install Chromium');

(tools && chromium ? describe : describe.skip)('with the mocks,', () => {
  let project: RecipesProject;
  beforeAll(() => {
    project = createRecipesProject('http://127.0.0.1:9/v1');
    const { folder, write, link } = project;
    for (const [name, place] of tools ?? []) link(name, place);
    mkdirSync(join(folder, 'public'));
    const worker = 'node_modules/msw/lib/mockServiceWorker.js';
    copyFileSync(join(folder, worker), join(folder, 'public/mockServiceWorker.js'));
    // The libraries are links to several folders, each of which has React.
    const vite = "resolve: { dedupe: ['react', 'react-dom'] }, server: { fs: { strict: false } }";
    const launch = JSON.stringify({ executablePath: chromium, args: ['--no-sandbox'] });
    const browser = `enabled: true, headless: true, screenshotFailures: false, instances: [{ browser: 'chromium' }]`;
    write('vite.config.mjs', `export default { ${vite} };`);
    write(
      'vitest.config.mjs',
      `import { playwright } from '@vitest/browser-playwright';
       const provider = playwright({ launchOptions: ${launch} });
       export default { ${vite}, test: { browser: { ${browser}, provider } } };`,
    );
    write(
      '.storybook/main.mjs',
      `export default {
         stories: ['../src/*.stories.tsx'], framework: '@storybook/react-vite', staticDirs: ['../public'],
         core: { disableTelemetry: true, disableWhatsNewNotifications: true }, typescript: { reactDocgen: false },
       };`,
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

  test('Vitest runs the test', async () => {
    const { stdout } = await tool('vitest/vitest.mjs', 'run').catch((error) => error);
    expect(stdout).toMatch(/Tests\s+2 passed \(2\)/);
  });

  test('the test and the story have the types of their tools', async () => {
    expect(await project.compile()).toBe('');
  });

  test('Storybook shows the stories', async () => {
    await tool('storybook/dist/bin/dispatcher.js', 'build', '--disable-telemetry', '--quiet', '-o', 'built');
    await using site = await listenOnLoopback(serve(join(project.folder, 'built')));
    const browser = await launchChromium(chromium ?? '');
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(30_000);
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
