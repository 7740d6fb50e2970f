import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A tab in which the app is open, and what went wrong in it. */
export type Visit = { page: Page; errors: string[]; close: () => Promise<void> };

/** Opens the app in a tab of its own; with a key, the key is typed in. */
export async function visit(browser: Browser, url: string, key?: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const errors: string[] = [];
  // A refused request is for the app to show; the browser notes it besides.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.clock.install();
  await page.goto(url);
  if (key !== undefined) await signIn(page, key);
  return { page, errors, close: () => context.close() };
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Open the catalogue' }).click();
}

/** With axe on the page: holds what is on screen to WCAG 2.2 AA as far as a program can, and to the width of the window. */
async function expectReadable(page: Page): Promise<void> {
  const violations = await page.evaluate(`axe.run({
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
  expect(violations).toEqual([]);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(overflow).toBe(0);
}

const looks = [390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

/** The same in a narrow and in a wide window, light and dark. */
export async function expectReadableEverywhere(page: Page, name: string): Promise<void> {
  await page.evaluate(axe);
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await expectReadable(page);
    await picture(page, `${name}-${width}-${colorScheme}`);
  }
}

/** Keeps a picture of the whole page where SCREENSHOTS names a folder, for people to look at. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
