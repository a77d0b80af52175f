import { expect, type Page, test } from '@playwright/test';
import { axeFaults, LOOK_RULES } from './axe-faults.ts';
import { movesTo, reachesEverything, startsAtTop } from './keyboard-walk.ts';

/** 400% and 200% zoom of a desktop, and a phone, a desktop, a wall. */
const SIZES = [
  [320, 568],
  [640, 400],
  [390, 844],
  [1280, 800],
  [1920, 1080],
] as const;

/** Nothing is too wide, and axe finds no fault at any size, in either theme. */
export async function fitsEverywhere(page: Page): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 640 };
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    if (width > 1280) continue;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      const faults = await axeFaults(page, colorScheme === 'dark' ? undefined : LOOK_RULES);
      expect.soft(faults, `${width} × ${height}, ${colorScheme}`).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(size);
}

/** A page of the frame that is open: its title, bell, navigation and help, by keyboard and at every size. */
export async function walksPage(page: Page, name: string): Promise<void> {
  const bell = page.getByTestId('chip-alarms');
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });
  const help = page.getByRole('button', { name: 'Help' });
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
  await expect(page).toHaveTitle(new RegExp(`${name} · Lookout$`));
  await expect(bell).toBeVisible();
  await expect(link).toHaveAttribute('aria-current', 'page');
  await test.step('Tab reaches everything, from the bar by the navigation to the content', async () => {
    await reachesEverything(page);
    await startsAtTop(page);
    for (const stop of [page.getByRole('link', { name: 'Skip to the content' }), bell, help, link])
      await movesTo(page, stop);
  });
  await test.step('the help opens and closes by keyboard', async () => {
    await movesTo(page, help, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible();
    expect.soft(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(help).toBeFocused();
  });
  await test.step('every size', async () => {
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await expect(bell).toBeInViewport({ ratio: 1 });
      expect((await page.getByRole('banner').boundingBox())?.height).toBe(49);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const menu = page.getByRole('button', { name: 'Pages' });
    await menu.click();
    await expect(page.getByRole('menuitem', { name })).toHaveAttribute('aria-current', 'page');
    await page.keyboard.press('Escape');
    await expect(menu).toBeFocused();
    await fitsEverywhere(page);
  });
  await page.setViewportSize({ width: 1280, height: 800 });
}
