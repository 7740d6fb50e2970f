import { plans } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../testing/chromium.ts';
import { leaveOut } from '../../testing/left-out.ts';
import { buildSite } from '../site.ts';
import { contractUnderTest } from '../site-fixture.ts';
import { seriousFindings } from './accessibility.ts';
import { createReader, layoutShift, type Tab, type View } from './reader.ts';
import { startStaticHost } from './static-host.ts';

const { json } = contractUnderTest();
const site = await buildSite({ json });
const pages = site.map(({ path }) => path).filter((path) => path.endsWith('.html'));

const executable = findChromium();
if (executable === undefined) leaveOut('docs in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

/** Not /docs/: the site must work in any folder. */
const folder = '/partners/docs/';
const wide: View = { colours: 'light', width: 1280 };
const narrow: View = { colours: 'dark', width: 390 };
/** Operations in the reference: a deprecated one, one with examples to choose from, and a beta one. */
const operations = ['pets/getpet', 'pets/createpet', 'orders/createorder'].map((id) => `reference.html#/${id}`);
/** Guides are made from one template and one style sheet, so one stands for the others wherever only these matter. */
const ofTheirKind = pages.filter((path) => !path.startsWith('guides/') || path === 'guides/limits.html');

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
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    host?.stop();
  });

  const turnTo = (path: string) => tab.turnTo(`${folder}${path}`);
  /** In a tab of its own: what is chosen or kept there is not met by others. */
  const open = (path: string, view = wide) => reader.open(`${folder}${path}`, view);

  describe('every page, dark and narrow, then light and wide', () => {
    let narrowTab: Tab;
    beforeAll(async () => {
      narrowTab = await reader.openTab(narrow);
    });
    afterAll(() => narrowTab?.page.context().close());

    test.each([...pages, ...operations])('%s fits, does not shift, and axe finds nothing serious', async (path) => {
      const page = await narrowTab.turnTo(`${folder}${path}`);
      await shown(page);
      await expectView(page, narrow);
      expect(await layoutShift(page)).toBeLessThan(0.1);
      expect(await seriousFindings(page)).toEqual([]);
      await changeView(page, wide);
      await expectView(page, wide);
      // What stands in a page has been checked; other colours change its contrast, another width the template around it.
      expect(await seriousFindings(page, ofTheirKind.includes(path) ? undefined : ['color-contrast'])).toEqual([]);
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

  test('no letter is lost that is typed right after the shortcut, while the search is still being loaded', async () => {
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

  test('the arrows choose a result, Escape closes, and what is not there is said', async () => {
    const page = await turnTo('index.html');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('429');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('option').nth(1).getAttribute('aria-selected')).toBe('true');
    await page.getByRole('combobox').fill('zebra crossing');
    await page.getByText('Nothing found for “zebra crossing”.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  test('a result of the search leads to the operation in the reference', async () => {
    const page = await turnTo('guides/paging.html');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox').fill('listPets');
    await page
      .getByRole('option', { name: /listPets/ })
      .first()
      .click();
    await page.waitForURL(`${host.origin}${folder}reference.html#/pets/listpets`);
    await page.getByRole('heading', { name: 'List animals' }).waitFor();
    await page.getByText('Maximum number of entries to return.').waitFor();
  });

  test('the reference lists every operation at once, beta marked, and getPet is marked as deprecated', async () => {
    const page = await turnTo('reference.html');
    for (const name of ['List animals', 'Add an animal', 'Get an animal']) {
      await page.getByRole('link', { name: new RegExp(`^${name}`) }).waitFor();
    }
    for (const name of ['List orders', 'Order an animal', 'Get an order', 'Complete an order', 'Cancel an order']) {
      await page.getByRole('link', { name: `${name} Beta` }).waitFor();
    }
    await page.getByRole('link', { name: /^Get an animal/ }).click();
    await page
      .getByText(/^deprecated$/i)
      .locator('visible=true')
      .first()
      .waitFor();
    await page.getByText('to be removed on 5 December 2030').waitFor();
    expect(await page.getByText('x-deprecation').count()).toBe(0);
    // Redoc's menu beside "Copy" leads to services of others.
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
  });

  test('the reference shows the plans, and leads from an error code to what to do about it', async () => {
    const page = await turnTo('reference.html');
    const { title, perMinute, perDay } = plans.pro;
    await page
      .getByRole('row', { name: `${title} ${perMinute.toLocaleString('en')} ${perDay.toLocaleString('en')}` })
      .waitFor();
    await page.getByRole('link', { name: 'key_banned' }).first().click();
    await page.waitForURL(`${host.origin}${folder}guides/errors.html#key_banned`);
  });

  test('chosen colours stay on the next page, in the reference too; chosen back, they follow the system again', async () => {
    const page = await open('guides/keys.html');
    await page.getByRole('button', { name: 'Dark colours' }).click();
    await page.locator('html.dark').waitFor();
    await page.getByRole('link', { name: 'Reference', exact: true }).click();
    await page.locator('html.dark').waitFor();
    await page.getByRole('button', { name: 'Dark colours', pressed: true }).click();
    await page.locator('html.light').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html.dark').waitFor();
    await page.context().close();
  });

  test('a code block is copied as it is written', async () => {
    const page = await open('guides/first-call.html');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.code').first().getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^export ANIMAL_STORE_KEY='as_test_YOUR_KEY'\n/,
    );
    await page.context().close();
  });

  test('on a phone the menu of the guides unfolds, and that of the reference opens', async () => {
    const phone: View = { colours: 'light', width: 390 };
    const guide = await open('guides/limits.html', phone);
    await guide.getByText('Guides: Limits and bans').click();
    await guide.getByRole('navigation', { name: 'All guides' }).getByRole('link', { name: 'Paging' }).click();
    await guide.waitForURL(`${host.origin}${folder}guides/paging.html`);
    await guide.context().close();
    const reference = await open('reference.html', phone);
    await reference.getByRole('button', { name: 'Open navigation menu' }).click();
    await reference.getByRole('link', { name: 'List animals' }).first().click();
    await reference.getByRole('heading', { name: 'List animals' }).waitFor();
    await reference.context().close();
  });

  test('asked no other host for anything on the way, and had no errors', () => {
    expect(notes).toEqual([]);
  });
});

/** Changes the system's colours and the width of the window, as a reader does while a page is open. */
async function changeView(page: Page, { colours, width }: View): Promise<void> {
  await page.emulateMedia({ colorScheme: colours });
  await page.setViewportSize({ width, height: 900 });
  await animationsEnd(page);
}

/** Colours fade from one to the other; in between, the contrast is that of neither. */
async function animationsEnd(page: Page): Promise<void> {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
}

async function expectView(page: Page, { colours, width }: View): Promise<void> {
  // The page follows the browser's colours in an event, a moment later.
  await page.waitForFunction((name) => document.documentElement.classList.contains(name), colours);
  await animationsEnd(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
}

/** Redoc fills its page after it has loaded: the overview with the servers, an operation with its samples. */
async function shown(page: Page): Promise<void> {
  if ((await page.locator('#redoc').count()) === 0) return;
  if (page.url().includes('#/')) return page.locator('.panel-request-samples pre').first().waitFor();
  await page.locator('#redoc').getByText('Servers', { exact: true }).locator('visible=true').first().waitFor();
}
