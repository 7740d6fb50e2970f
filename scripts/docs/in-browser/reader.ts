import type { Browser, Page } from 'playwright-core';

export type View = { colours: 'light' | 'dark'; width: number };

/** What a page did that it should not have, in words. */
export type Notes = string[];

/** A tab that shows one page after the other, each loaded anew and at the width of the view. */
export type Tab = { page: Page; turnTo: (address: string) => Promise<Page> };

/** Opens pages as readers do; other hosts are refused, and every request to one is noted, as is every error. */
export function createReader(browser: Browser, origin: string, notes: Notes) {
  /** For what may leave something behind, each `open` has a tab, storage and cookies of its own. */
  async function open(address: string, view: View): Promise<Page> {
    const { turnTo } = await openTab(view);
    return turnTo(address);
  }

  /** A tab compiles a script once, and most of the time of a page goes into compiling its scripts. */
  async function openTab({ colours, width }: View): Promise<Tab> {
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ viewport, colorScheme: colours });
    const page = await context.newPage();
    let address = '';
    page.setDefaultTimeout(25_000);
    // Pages that are routed are never taken from the browser's cache.
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
    const turnTo = async (next: string) => {
      // An address that differs in its fragment only would not load the page.
      if (address !== '') await page.goto('about:blank');
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: colours });
      address = next;
      await page.goto(`${origin}${address}`, { waitUntil: 'load' });
      return page;
    };
    return { page, turnTo };
  }

  return { open, openTab };
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
