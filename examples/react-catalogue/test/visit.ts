import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A tab with the app, and the errors in it. */
export type Visit = { page: Page; errors: string[]; close: () => Promise<void> };

/** Opens the app in a new tab whose clock starts at this time (Unix milliseconds), and enters the key if there is one. */
export async function visit(browser: Browser, url: string, time: number, key?: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  // The browser also logs refused requests, which the app shows itself.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.clock.install({ time });
  await page.goto(url);
  if (key !== undefined) await signIn(page, key);
  return { page, errors, close: () => context.close() };
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Open the catalogue' }).click();
}

const looks = [
  { width: 390, colorScheme: 'light', isAudited: true },
  { width: 390, colorScheme: 'dark', isAudited: false },
  { width: 1280, colorScheme: 'light', isAudited: false },
  { width: 1280, colorScheme: 'dark', isAudited: true },
] as const;

/**
 * Checks the screen against WCAG 2.2 AA as far as a program can, and against the width of the window. Covers both layouts
 * and both colour schemes, but not every combination, because colours do not depend on the width.
 */
export async function expectReadableEverywhere(page: Page, name: string): Promise<void> {
  await page.evaluate(axe);
  for (const { width, colorScheme, isAudited } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    if (isAudited) expect(await violations(page)).toEqual([]);
    await picture(page, `${name}-${width}-${colorScheme}`);
  }
}

/** The violations that axe finds: the rule, and the elements that break it. */
function violations(page: Page): Promise<unknown> {
  return page.evaluate(`axe.run({
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
}

/** Saves a screenshot of the whole page in the folder SCREENSHOTS, if it is set. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
