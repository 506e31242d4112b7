import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns axe-core's findings about the page as it's shown now: the rule, and the elements. */
export const accessibilityProblems = async (page: Page): Promise<readonly string[]> => {
  // Not by a tag: the page's Content-Security-Policy would refuse it.
  const results = (await page.evaluate(`${axe}; axe.run({ resultTypes: ['violations'] })`)) as AxeResults;
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`,
  );
};
