import { expect, type Page } from '@playwright/test';

/** Waits until the map is drawn next to a strip that takes space from it. */
export async function mapFits(page: Page): Promise<void> {
  const map = page.getByTestId('map');
  // The canvas is a whole number of device pixels, of which the tests have one for 4 CSS pixels.
  const differencePx = () =>
    map.evaluate((area) => Math.abs((area.querySelector('canvas')?.clientHeight ?? 0) - area.clientHeight));
  await expect.poll(differencePx, { message: 'the map fits above the strip' }).toBeLessThan(4);
  const frame = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  await frame();
  await frame();
}
