import { source } from 'axe-core';
import type { Browser, Page } from 'playwright-core';

export type View = { colours: 'light' | 'dark'; width: number };

/** Descriptions of what a page did that it should not. */
export type Notes = string[];

/** A tab that shows pages one after another, each reloaded at the width of the view. */
export type Tab = { page: Page; turnTo: (address: string) => Promise<Page> };

/** Opens pages as readers do. Refuses requests to other hosts, and records them and every error. */
export function createReader(browser: Browser, origin: string, notes: Notes) {
  /** Each `open` has its own tab, storage and cookies, so that tests do not affect each other. */
  async function open(address: string, view: View): Promise<Page> {
    const { turnTo } = await openTab(view);
    return turnTo(address);
  }

  /** A tab compiles each script once, and pages spend most of their time compiling scripts. */
  async function openTab({ colours, width }: View): Promise<Tab> {
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ viewport, colorScheme: colours });
    const page = await context.newPage();
    let address = '';
    page.setDefaultTimeout(60_000);
    // With routing, the browser does not use its cache.
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
      // A URL that differs only in its fragment would not load the page.
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

/** Runs in the page. Sums up unexpected movements of elements (Cumulative Layout Shift). */
function observeShifts(): void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput } = Object.assign({ value: 0, hadRecentInput: false }, entry.toJSON());
      if (!hadRecentInput) Reflect.set(window, 'shifted', Number(Reflect.get(window, 'shifted') ?? 0) + value);
    }
  });
  observer.observe({ type: 'layout-shift', buffered: true });
}

/** The Cumulative Layout Shift so far. Web Vitals considers up to 0.1 good. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(() => Number(Reflect.get(window, 'shifted') ?? 0));
}

/** The width of the page if it is wider than the window. */
export async function sidewaysIn(page: Page): Promise<string[]> {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  return width > (page.viewportSize()?.width ?? 0) ? [`the page has ${width} pixels`] : [];
}

/**
 * The violations of any level that axe finds in a page: the rule, and the first elements that break it.
 *
 * @param rules the rules to check; default: all
 */
export async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Evaluated as by a debugger, because the page's policy allows no other scripts. Once per page, because axe has 600 kB.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source);
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const { violations }: { violations: Violation[] } = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(({ html }) => html.slice(0, 160))
        .join(' … ')}`,
  );
}

type Violation = { id: string; impact: string | null; help: string; nodes: { html: string }[] };
