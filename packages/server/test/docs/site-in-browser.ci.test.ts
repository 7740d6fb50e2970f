import { plans } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../../testing/src/chromium.ts';
import { leaveOut } from '../../../testing/src/left-out.ts';
import { languages } from '../../../tooling/src/docs/samples/languages.ts';
import { sampleRequests } from '../../../tooling/src/docs/samples/request.ts';
import { samplesOf } from '../../../tooling/src/docs/samples/samples.ts';
import { buildSite } from '../../../tooling/src/docs/site.ts';
import { bundleContract } from '../../../tooling/src/effective/bundle.ts';
import { findings } from '../../../tooling/test/in-browser/accessibility.ts';
import { createReader, layoutShift, sidewaysIn, type Tab, type View } from '../../../tooling/test/in-browser/reader.ts';
import { startStaticHost } from '../../../tooling/test/in-browser/static-host.ts';

const { json } = bundleContract();
const site = await buildSite({ json });
/** All pages except console.html, which redirects, and 404.html, which has absolute links. */
const pages = site
  .map(({ path }) => path)
  .filter((path) => path.endsWith('.html') && path !== 'console.html' && path !== '404.html');

const executable = findChromium();
if (executable === undefined) leaveOut('docs in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

/** Not /docs/: the site must work in any folder. */
const folder = '/partners/docs/';
const wide: View = { colours: 'light', width: 1280 };
const narrow: View = { colours: 'dark', width: 390 };
/** One guide represents all of them in tests of their common template and style sheet. */
const ofTheirKind = pages.filter(
  (path) => !/^(guides|operations)\//.test(path) || /(limits|createPet)\.html$/.test(path),
);

inBrowser('the docs in Chromium', () => {
  const notes: string[] = [];
  let host: Awaited<ReturnType<typeof startStaticHost>>;
  let browser: Browser;
  let reader: ReturnType<typeof createReader>;
  let tab: Tab;

  beforeAll(async () => {
    host = await startStaticHost(site, folder);
    browser = await launchChromium(executable ?? '');
    reader = createReader(browser, host.origin, notes);
    tab = await reader.openTab(wide);
  });

  afterAll(async () => {
    await browser?.close();
    host?.stop();
  });

  const turnTo = (path: string) => tab.turnTo(`${folder}${path}`);
  /** Runs in a separate tab, so that choices and storage do not affect other tests. */
  const open = (path: string, view = wide) => reader.open(`${folder}${path}`, view);

  describe('every page in four renderings', () => {
    let narrowTab: Tab;
    beforeAll(async () => {
      narrowTab = await reader.openTab(narrow);
    });
    afterAll(() => narrowTab?.page.context().close());

    test.each(pages)('%s fits, does not shift, and axe finds nothing of any level', async (path) => {
      const page = await narrowTab.turnTo(`${folder}${path}`);
      await shown(page);
      await expectView(page, narrow);
      expect(await layoutShift(page)).toBeLessThan(0.1);
      expect(await findings(page)).toEqual([]);
      for (const view of [
        { ...narrow, colours: wide.colours },
        { ...wide, colours: narrow.colours },
      ]) {
        await changeView(page, view);
        await expectView(page, view);
        expect(await findings(page, ['color-contrast', 'scrollable-region-focusable'])).toEqual([]);
      }
      await changeView(page, wide);
      await expectView(page, wide);
      // The content of the page is already checked. Other colours can only change its contrast, and another width the
      // template around it.
      expect(await findings(page, ofTheirKind.includes(path) ? undefined : ['color-contrast'])).toEqual([]);
    });
  });

  test.each(ofTheirKind)(
    '%s, loaded light and wide, fits and does not shift; the keyboard alone finds 429',
    async (path) => {
      const page = await turnTo(path);
      await shown(page);
      await expectView(page, wide);
      expect(await layoutShift(page)).toBeLessThan(0.1);
      await page.keyboard.press('/');
      await page.getByRole('combobox', { name: /^Search/ }).waitFor();
      await page.keyboard.type('429');
      await page.getByRole('option', { name: /rate_limited/ }).waitFor();
      await page.getByRole('option', { name: /^What to do on a 429/, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${host.origin}${folder}guides/limits.html#what-to-do-on-a-429`);
    },
  );

  test('no page and no table scrolls sideways; on a wide screen, guides show their entry in the menu, and code whole lines', async () => {
    const { page, turnTo: openWide } = await reader.openTab({ colours: 'light', width: 1440 });
    const problems = [];
    for (const path of pages) {
      await openWide(`${folder}${path}`);
      await shown(page);
      if (path.startsWith('guides/'))
        await page.waitForFunction(() => {
          const bottom = document.querySelector('.guide-menu [aria-current]')?.getBoundingClientRect().bottom;
          return bottom !== undefined && bottom <= innerHeight;
        });
      // Redoc has its own style for code.
      const found = /^(\d|redoc)/.test(path) ? [] : await sidewaysIn(page, 'pre');
      for (const width of [1440, 1280, 768, 320]) {
        await page.setViewportSize({ width, height: 900 });
        found.push(...(await sidewaysIn(page, '.table')).map((problem) => `at ${width} pixels: ${problem}`));
      }
      if (found.length > 0) problems.push({ path, found });
    }
    await page.context().close();
    expect(problems).toEqual([]);
  }, 180_000);

  test('a phone shows the row of a table as a block with the titles of the columns, and it is still a table', async () => {
    const page = await open('errors.html', { colours: 'light', width: 320 });
    const row = page.getByRole('row', { name: /^not_found|rate_limited/ }).first();
    const cells = row.getByRole('cell');
    expect(await cells.count()).toBe(4);
    const [first, second] = [await cells.nth(0).boundingBox(), await cells.nth(1).boundingBox()];
    expect(second?.y).toBeGreaterThan(first?.y ?? Number.POSITIVE_INFINITY);
    const title = await cells.nth(1).evaluate((cell) => getComputedStyle(cell, '::before').content);
    expect(title).toMatch(/^"Status: "/);
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Code', 'Status', 'Cause', 'What to do']);
    await page.context().close();
  });

  test('letters typed right after the shortcut, while the search is still loading, are not lost', async () => {
    const page = await open('index.html');
    const { promise: typed, resolve: go } = Promise.withResolvers<void>();
    await page.route('**/assets/search**', async (route) => {
      await typed;
      await route.fallback();
    });
    await page.keyboard.press('/');
    await page.keyboard.type('429');
    expect(await page.getByRole('combobox').inputValue()).toBe('429');
    go();
    await page.getByRole('option', { name: /^What to do on a 429/, selected: true }).waitFor();
    await page.context().close();
  });

  test('arrow keys select a result, Escape closes the search, and a search without results says so', async () => {
    const page = await turnTo('index.html');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('429');
    // Results replace the list, and with it the selection, so the key must come after them.
    await page.getByRole('option', { name: /429/, selected: true }).waitFor();
    expect(await page.getByRole('option').nth(0).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowDown');
    await page.locator('[role="option"]:nth-child(2)[aria-selected="true"]').waitFor();
    await page.getByRole('combobox').fill('zebra quagga');
    await page.getByText('No results for “zebra quagga”.').waitFor();
    await page.getByRole('option', { name: /^First call/, selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  test.each(['guides/limits', 'operations/createPet', 'errors'])(
    '"Copy as Markdown" at the top of %s copies its Markdown',
    async (name) => {
      const page = await open(`${name}.html`);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy as Markdown' }).click();
      await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied.trim()).toBe(String(site.find(({ path }) => path === `${name}.md`)?.content).trim());
      await page.context().close();
    },
  );

  test('a result of the search leads to the page of the operation', async () => {
    const page = await turnTo('guides/paging.html');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox').fill('listPets');
    await page
      .getByRole('option', { name: /listPets/ })
      .first()
      .click();
    await page.waitForURL(`${host.origin}${folder}operations/listPets.html`);
    await page.getByRole('heading', { name: 'List animals' }).waitFor();
    await page.getByText('Maximum number of entries to return.').waitFor();
  });

  test('without JavaScript, the one-page reference shows every operation with nothing to open', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${host.origin}${folder}reference.html`);
    const ids = site.flatMap(({ path }) => /^operations\/(?!index)(\w+)\.html$/.exec(path)?.[1] ?? []);
    expect(ids.length).toBeGreaterThan(10);
    const hidden = [];
    for (const id of ids) {
      const section = page.locator(`section:has(> #${id})`);
      for (const title of ['Responses', 'Errors', 'Sample', 'Example responses'])
        if (!(await section.getByRole('heading', { name: new RegExp(`^${title}`) }).isVisible()))
          hidden.push(`${id}: ${title}`);
    }
    const withoutBody = sampleRequests(JSON.parse(json)).filter(({ response }) => response.reading === 'status');
    expect(hidden).toEqual(withoutBody.map(({ id }) => `${id}: Example responses`));
    expect(await page.locator('main details, main .tabs').count()).toBe(0);
    const getPet = page.locator('section:has(> #getPet)');
    await getPet.getByText('It will be removed on 5 December 2030').waitFor();
    expect(await getPet.locator('.mark').textContent()).toBe('Deprecated');
    expect(await page.locator('section:has(> #createOrder) .mark').textContent()).toBe('Beta');
    await context.close();
  });

  test("the page of a release has no links of Redoc's menu to third parties", async () => {
    const page = await turnTo(site.map(({ path }) => path).find((path) => /^\d.*\/index\.html$/.test(path)) ?? '');
    await shown(page);
    expect(await page.getByText('x-deprecation').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
  });

  test('the reference shows the plans, and links from an error code to its explanation', async () => {
    const page = await turnTo('reference.html');
    const { title, perMinute, perDay } = plans.pro;
    await page
      .getByRole('row', { name: `${title} ${perMinute.toLocaleString('en')} ${perDay.toLocaleString('en')}` })
      .waitFor();
    await page.getByRole('link', { name: 'key_banned' }).first().click();
    await page.waitForURL(`${host.origin}${folder}errors.html#key_banned`);
  });

  test('chosen colours apply to the next page and the reference; choosing those of the system follows the system again', async () => {
    const page = await open('guides/keys.html');
    await page.getByRole('button', { name: 'Dark mode' }).click();
    await page.locator('html.dark').waitFor();
    await page.getByRole('link', { name: 'Reference', exact: true }).click();
    await page.locator('html.dark').waitFor();
    await page.getByRole('button', { name: 'Dark mode', pressed: true }).click();
    await page.locator('html.light').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html.dark').waitFor();
    await page.context().close();
  });

  test('a code block is copied unchanged', async () => {
    const page = await open('guides/first-call.html');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.code').first().getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^export ANIMAL_STORE_KEY='as_test_YOUR_KEY'\n/,
    );
    await page.context().close();
  });

  test('on a phone, the menus of the guides and of the reference can be opened', async () => {
    const phone: View = { colours: 'light', width: 390 };
    const guide = await open('guides/limits.html', phone);
    await guide.getByText('Guides: Limits and bans').click();
    await guide.getByRole('navigation', { name: 'All guides' }).getByRole('link', { name: 'Paging' }).click();
    await guide.waitForURL(`${host.origin}${folder}guides/paging.html`);
    await guide.context().close();
    const reference = await open('reference.html', phone);
    await reference.getByText('Reference: On one page').click();
    const operations = reference.getByRole('navigation', { name: 'All operations' });
    await operations.getByRole('link', { name: 'Get an order' }).click();
    await reference.waitForURL(`${host.origin}${folder}reference.html#getOrder`);
    await reference.context().close();
  });

  test('a link of an earlier version to an operation in the one-page reference leads to its section', async () => {
    const page = await turnTo('reference.html#/pets/createpet');
    await page.waitForURL(`${host.origin}${folder}reference.html#createPet`);
  });

  test('arrow keys select the tabs of samples, and the next page keeps the language', async () => {
    const page = await open('operations/createPet.html');
    await page.getByRole('tab', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'TypeScript' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'curl', selected: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    const last = await page.getByRole('tab', { selected: true }).first().textContent();
    await page.goto(`${host.origin}${folder}operations/listPets.html`);
    expect(await page.getByRole('tab', { selected: true }).first().textContent()).toBe(last);
    await page.context().close();
  });

  test('all commands of a guide are shown in the language that the reader chose, as on the next page', async () => {
    const page = await open('guides/pets.html');
    const last = page.getByRole('tablist', { name: 'Language' }).last();
    await last.getByRole('tab', { name: 'Ruby' }).click();
    const shown = () => page.locator('.tabs pre:visible').allTextContents();
    expect((await shown()).every((code) => code.includes('Net::HTTP'))).toBe(true);
    expect((await shown()).length).toBeGreaterThan(3);
    await page.goto(`${host.origin}${folder}operations/deletePet.html`);
    await page.getByRole('tabpanel', { name: 'Ruby' }).waitFor();
    await page.context().close();
  });

  test('the samples of an operation are shown in the chosen language, in colours that the policy of the page allows', async () => {
    const samples = samplesOf(JSON.parse(json)).get('createPet');
    const page = await open('operations/createPet.html');
    for (const [language, { label }] of Object.entries(languages)) {
      await page.getByRole('tab', { name: label, exact: true }).click();
      const shown = await page.locator('.operation-side pre:visible').first().textContent();
      expect(shown?.trim()).toBe(samples?.find(({ lang }) => lang === language)?.source.trim());
    }
    const colours = await page.evaluate(() =>
      [...document.querySelectorAll('.operation-side pre [class^="hljs"]')].map(
        (token) => getComputedStyle(token).color,
      ),
    );
    expect(new Set(colours).size).toBeGreaterThan(1);
    await page.context().close();
  });

  test('the error codes can be filtered, and a link to a row shows it again', async () => {
    const page = await turnTo('errors.html');
    const rows = page.locator('tbody tr:visible');
    const all = await rows.count();
    await page.getByLabel('Filter by code, status or text').fill('429 banned');
    await page.getByText(`1 of ${all} rows`).waitFor();
    expect(await rows.count()).toBe(1);
    await page.evaluate('location.hash = "#rate_limited"');
    await page.waitForFunction((count) => document.querySelectorAll('tbody tr:not([hidden])').length === count, all);
  });

  test('without JavaScript, an operation shows every sample and example, in print one sample and every example, and no controls without a function', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const still = await context.newPage();
    await still.goto(`${host.origin}${folder}operations/createPet.html`);
    for (const title of ['Java', '503']) await still.getByRole('heading', { name: title, exact: true }).waitFor();
    expect(await still.locator('.try, .site-search-open').locator('visible=true').count()).toBe(0);
    await still.emulateMedia({ media: 'print' });
    expect(await still.locator('.tabs[data-memory=language] pre:visible').count()).toBe(1);
    await context.close();
    const page = await open('operations/createPet.html');
    await page.emulateMedia({ media: 'print' });
    for (const title of ['201 Created', '503 Service Unavailable'])
      expect(await page.locator('.operation-side p', { hasText: title }).first().isVisible()).toBe(true);
    expect(await page.locator('.tabs[data-memory=""] pre').filter({ visible: false }).count()).toBe(0);
    expect(await page.locator('.tabs[data-memory=language] pre:visible').count()).toBe(1);
    expect(await page.locator('header, footer, .try, .code-copy, nav').locator('visible=true').count()).toBe(0);
    await page.context().close();
  });

  test.each(['curl', 'Go', 'C#'])(
    'an operation with its sample in %s prints on at most four pages',
    async (language) => {
      const page = await open('operations/index.html');
      await page.evaluate((name) => localStorage.setItem('docs.language', name), language);
      const margin = { top: '10mm', bottom: '10mm', left: '10mm', right: '10mm' };
      const tooLong: string[] = [];
      for (const path of site.map((file) => file.path).filter((name) => /^operations\/(?!index).+\.html$/.test(name))) {
        await page.goto(`${host.origin}${folder}${path}`);
        await page.locator('.tabs.is-ready').last().waitFor();
        const pdf = await page.pdf({ format: 'A4', margin });
        const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
        if (pages < 2 || pages > 4) tooLong.push(`${path}: ${pages} pages`);
      }
      expect(tooLong).toEqual([]);
      await page.context().close();
    },
  );

  test('made no requests to other hosts, and had no errors', () => {
    expect(notes).toEqual([]);
  });
});

/** Changes the system's colours and the width of the window, as a reader does while a page is open. */
async function changeView(page: Page, { colours, width }: View): Promise<void> {
  await page.emulateMedia({ colorScheme: colours });
  await page.setViewportSize({ width, height: 900 });
  await animationsEnd(page);
}

/** Waits for the transition between colours, during which the contrast is that of neither. */
async function animationsEnd(page: Page): Promise<void> {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
}

async function expectView(page: Page, { colours, width }: View): Promise<void> {
  // The page handles the change of colours in an event, a moment later.
  await page.waitForFunction((name) => document.documentElement.classList.contains(name), colours);
  await animationsEnd(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
}

/** Waits until Redoc has filled its page after loading: the overview lists the servers. */
async function shown(page: Page): Promise<void> {
  if ((await page.locator('#redoc').count()) === 0) return;
  await page.locator('#redoc').getByText('Servers', { exact: true }).locator('visible=true').first().waitFor();
}
