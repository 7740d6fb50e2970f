/** The files of docs/vue-svelte-solid.md: checked by the compilers, bundled by Vite, and used in Chromium with the real server. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { startTestServer } from '../../server/test/harness.ts';
import { findChromium, launchChromium } from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import { listenOnLoopback } from '../../testing/src/listen.ts';
import { serve } from './package/page.ts';
import { findPageTools } from './page-tools.ts';
import { createRecipesProject, frameworks } from './recipes-project.ts';

const what = 'the queries with Vue, Svelte and Solid';
const tools = findPageTools(
  what,
  ...['vue@3', '@tanstack/vue-query@5', 'solid-js@1', '@tanstack/solid-query@5', 'vite-plugin-solid@2'],
  ...['svelte@5', '@tanstack/svelte-query@6', '@sveltejs/vite-plugin-svelte@7', 'svelte-check@4'],
);
const chromium = findChromium();
if (chromium === undefined) leaveOut(what, 'install Chromium');

type Framework = {
  name: string;
  /** The files of the page, in addition to those that all frameworks share. */
  files: [entry: string, ...others: string[]];
  /** The file with the queries. */
  view: string;
  plugin: string;
  options?: object;
};
const all: Framework[] = [
  { name: 'vue', files: ['src/vue.ts'], view: 'src/vue.ts', plugin: '' },
  {
    name: 'svelte',
    files: ['src/svelte.ts', 'src/App.svelte', 'src/Pets.svelte'],
    view: 'src/Pets.svelte',
    plugin: "import { svelte as plugin } from '@sveltejs/vite-plugin-svelte';",
  },
  {
    name: 'solid',
    files: ['src/solid.tsx'],
    view: 'src/solid.tsx',
    plugin: "import plugin from 'vite-plugin-solid';",
    options: { jsx: 'preserve', jsxImportSource: 'solid-js' },
  },
];

/** A project with the files of one framework. */
function createProject({ name, files, plugin, options }: Framework, baseUrl: string) {
  const used = ['src/tanstack-query.d.ts', 'src/api.ts', ...files].map((file) => {
    const code = frameworks[file] ?? '';
    return [file, file.endsWith('.d.ts') ? code.replace('/vue-query', `/${name}-query`) : code];
  });
  const project = createRecipesProject(baseUrl, Object.fromEntries(used));
  const { folder, write, link, compile } = project;
  for (const [tool, place] of tools ?? []) link(tool, place);
  write('index.html', `<!doctype html><title>Animals</title><script type="module" src="/${files[0]}"></script>`);
  write('vite.config.mjs', `${plugin} export default { plugins: [${plugin && 'plugin()'}] };`);
  /** What a program prints if it fails. */
  const run = (program: string, ...parameters: string[]) =>
    promisify(execFile)(process.execPath, [join(folder, 'node_modules', program), ...parameters], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '', NO_COLOR: '1' },
    }).then(
      () => '',
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    );
  const check = async () => {
    const output = await compile([], options);
    return name === 'svelte' ? output + (await run('svelte-check/bin/svelte-check', '--fail-on-warnings')) : output;
  };
  return { ...project, run, check };
}

(tools && chromium ? describe : describe.skip)('a query, an infinite list and a mutation work in', () => {
  test.each(all)('$name', async (framework) => {
    const server = await startTestServer();
    const project = createProject(framework, `${server.url}/v1`);
    const browser = await launchChromium(chromium ?? '');
    try {
      for (const name of ['Rex', 'Mia', 'Bob']) await server.call('createPet', { body: { name, categoryId: 3 } });
      const { view } = framework;
      const code = frameworks[view] ?? '';
      project.write(view, code.replace('?.length', '?.size'));
      expect(await project.check()).toContain("Property 'size' does not exist on type");
      project.write(view, code);
      expect(await project.check()).toBe('');
      expect(await project.run('vite/bin/vite.js', 'build')).toBe('');
      await using site = await listenOnLoopback(serve(join(project.folder, 'dist')));
      const page = await browser.newPage();
      page.setDefaultTimeout(60_000);
      page.on('dialog', (dialog) => void dialog.accept(server.key));
      await page.goto(`${site.origin}/index.html`);
      await page.getByText('0 sold').waitFor();
      await page.getByRole('listitem').nth(1).waitFor();
      expect(await page.getByRole('listitem').allTextContents()).toEqual(['Rex', 'Mia']);
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByRole('listitem').nth(2).waitFor();
      await page.getByRole('button', { name: 'Add Lou' }).click();
      await page.getByText('1 sold').waitFor();
      await page.getByRole('listitem').nth(3).waitFor();
      expect(await page.getByRole('listitem').allTextContents()).toEqual(['Rex', 'Mia', 'Bob', 'Lou']);
      expect(await page.locator('output').textContent()).toBe('');
    } finally {
      await browser.close();
      project[Symbol.dispose]();
      await server.stop();
    }
  });
});
