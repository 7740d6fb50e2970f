import { source } from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What axe finds in a page, of any level: the rule, and the first elements that break it.
 *
 * @param rules those to check; all of them unless given
 */
export async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // As a debugger does, past the page's policy, which lets no script in. Once for a page, since it is 600 kB.
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
