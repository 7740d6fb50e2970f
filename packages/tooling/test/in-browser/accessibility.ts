import { source } from 'axe-core';
import type { Page } from 'playwright-core';

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
