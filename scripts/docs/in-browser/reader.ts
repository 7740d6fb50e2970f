import type { Browser, Page } from 'playwright-core';

export type View = { colours: 'light' | 'dark'; width: number };

/** What a page did that it should not have, in words. */
export type Notes = string[];

/** Opens pages as readers do; other hosts are refused, and every request to one is noted, as is every error. */
export function createReader(browser: Browser, origin: string, notes: Notes) {
  return async function open(address: string, { colours, width }: View): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: colours });
    const page = await context.newPage();
    page.setDefaultTimeout(25_000);
    await page.route('**', async (route) => {
      const asked = route.request().url();
      if (asked.startsWith(`${origin}/`)) return route.continue();
      notes.push(`${address} asks for ${asked}`);
      return route.abort();
    });
    page.on('console', (message) => {
      if (message.type() === 'error') notes.push(`${address} logs ${message.text()}`);
    });
    page.on('pageerror', (error) => notes.push(`${address} throws ${error.message}`));
    await page.addInitScript(observeShifts);
    await page.goto(`${origin}${address}`, { waitUntil: 'load' });
    return page;
  };
}

/** Runs in the page. Adds up how far things moved without the reader's doing (Cumulative Layout Shift). */
function observeShifts(): void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput } = Object.assign({ value: 0, hadRecentInput: false }, entry.toJSON());
      if (!hadRecentInput) Reflect.set(window, 'shifted', Number(Reflect.get(window, 'shifted') ?? 0) + value);
    }
  });
  observer.observe({ type: 'layout-shift', buffered: true });
}

/** The Cumulative Layout Shift up to now; up to 0.1 is what Web Vitals calls good. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(() => Number(Reflect.get(window, 'shifted') ?? 0));
}
