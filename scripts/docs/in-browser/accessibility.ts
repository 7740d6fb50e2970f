import { source } from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What axe finds serious or critical in a page: the rule, and the first elements that break it.
 *
 * @param rules those to check; all of them unless given
 */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // As a debugger does, past the page's policy, which lets no script in. Once for a page, since it is 600 kB.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source);
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const { violations }: { violations: Violation[] } = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 160))
          .join(' … ')}`,
    );
}

type Violation = { id: string; impact: string | null; help: string; nodes: { html: string }[] };
