import { expect, type Page } from '@playwright/test';

export async function mapFits(page: Page): Promise<void> {
  const map = page.getByTestId('map');
  // The tests have one device pixel for 4 CSS pixels.
  const differencePx = () =>
    map.evaluate((area) => Math.abs((area.querySelector('canvas')?.clientHeight ?? 0) - area.clientHeight));
  await expect.poll(differencePx, { message: 'the map fits above the strip' }).toBeLessThan(4);
  const frame = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  await frame();
  await frame();
}
