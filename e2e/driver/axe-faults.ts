import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** axe's findings: each violated rule, and the elements that violate it. Elements behind an open dialog can't be used, and are skipped. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  // Compiling axe again would be half of the work.
  const isLoaded = await page.evaluate(() => 'axe' in window);
  // The page has no frames: none is looked for, in a window of its own each time.
  const axe = new AxeBuilder({ page, ...(isLoaded && { axeSource: ';' }) })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] });
  const isBehindDialog = (await page.getByRole('dialog').count()) > 0;
  const { violations } = await (isBehindDialog ? axe.include('[role="dialog"]') : axe).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
