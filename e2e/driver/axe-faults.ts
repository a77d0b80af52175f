import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** Rules whose result depends on the theme. The others read structure, names and sizes. */
export const LOOK_RULES = ['color-contrast', 'link-in-text-block'] as const;

/** axe's findings: each violated rule, and the elements that violate it. Elements behind an open dialog can't be used, and are skipped. */
export async function axeFaults(
  page: Page,
  rules?: readonly string[],
  /** Selector of the only part that has changed since the rest was checked. */
  part?: string,
): Promise<readonly string[]> {
  // Compiling axe again would be half of the work.
  const isLoaded = await page.evaluate(() => 'axe' in window);
  // The page has no frames: none is looked for, in a window of its own each time.
  const axe = new AxeBuilder({ page, ...(isLoaded && { axeSource: ';' }) }).setLegacyMode().options({
    resultTypes: ['violations'],
    ...(rules && { runOnly: { type: 'rule', values: [...rules] } }),
  });
  const isBehindDialog = (await page.getByRole('dialog').count()) > 0;
  const within = isBehindDialog ? '[role="dialog"]' : part;
  const { violations } = await (within === undefined ? axe : axe.include(within)).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
