import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../../testing/src/chromium.ts';
import { leaveOut } from '../../../testing/src/left-out.ts';
import { buildSite } from '../../../tooling/src/docs/site.ts';
import { createReader, findings, layoutShift, type Tab, type View } from '../../../tooling/test/in-browser/reader.ts';
import { startStaticHost } from '../../../tooling/test/in-browser/static-host.ts';

const site = buildSite();
const redocPage = 'reference.html';
/** All pages of our layout. */
const pages = site.map(({ path }) => path).filter((path) => path.endsWith('.html') && path !== redocPage);

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

  describe('every page in four renderings', () => {
    let narrowTab: Tab;
    beforeAll(async () => {
      narrowTab = await reader.openTab(narrow);
    });
    afterAll(() => narrowTab?.page.context().close());

    test.each(pages)('%s fits, does not shift, and axe finds nothing of any level', async (path) => {
      const page = await narrowTab.turnTo(`${folder}${path}`);
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
      await expectView(page, wide);
      expect(await layoutShift(page)).toBeLessThan(0.1);
      await page.keyboard.press('/');
      await page.getByRole('searchbox').waitFor();
      await page.keyboard.type('429');
      await page.locator('.site-search a', { hasText: 'What to do on a 429' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${host.origin}${folder}guides/limits.html#what-to-do-on-a-429`);
    },
  );

  test('a result of the search leads to the page of the operation', async () => {
    const page = await turnTo('guides/paging.html');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('listPets');
    await page.locator('.site-search a', { hasText: 'listPets' }).first().click();
    await page.waitForURL(`${host.origin}${folder}operations/listPets.html`);
    await page.getByRole('heading', { name: 'List animals' }).waitFor();
    await page.getByText('Maximum number of entries to return.').first().waitFor();
  });

  test('on a phone, no result of the search covers another text', async () => {
    const page = await turnTo('guides/paging.html');
    await changeView(page, narrow);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('order');
    const results = page.locator('.site-search a');
    await results.first().waitFor();
    const parts = results.locator('strong, span');
    expect(await parts.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)).toBe(0);
    await changeView(page, wide);
  });

  test('the reference on one page, as Redocly builds it, opens the operations of a tag', async () => {
    const page = await turnTo('operations/index.html');
    await page.getByRole('link', { name: 'Reference on one page (Redoc)' }).first().click();
    await page.waitForURL(`${host.origin}${folder}${redocPage}`);
    const reference = page.locator('#redoc');
    await reference.getByText('Pets', { exact: true }).locator('visible=true').first().click();
    await reference.getByText('List animals').locator('visible=true').first().waitFor();
  });

  test('without JavaScript, an operation shows the sample of the chosen language, and no controls without a function', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const still = await context.newPage();
    await still.goto(`${host.origin}${folder}operations/createPet.html`);
    await still.getByRole('radio', { name: 'Java', exact: true }).check();
    await still.getByText('HttpRequest.newBuilder()').waitFor();
    expect(await still.locator('.try, .site-search-open').locator('visible=true').count()).toBe(0);
    await context.close();
  });

  test('made no requests to other hosts, and had no errors', () => {
    // The page by Redoc asks for the logo of its maker, which its policy refuses.
    expect(notes.filter((note) => !note.includes('cdn.redoc.ly'))).toEqual([]);
  });
});

/** Changes the system's colours and the width of the window, as a reader does while a page is open. */
async function changeView(page: Page, { colours, width }: View): Promise<void> {
  await page.emulateMedia({ colorScheme: colours });
  await page.setViewportSize({ width, height: 900 });
}

async function expectView(page: Page, { width }: View): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
}
