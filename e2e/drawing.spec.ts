import type { Page } from '@playwright/test';
import { countFrames, framesDrawn } from './driver/frames-drawn.ts';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

// Labels that fade draw frames.
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const PAN_STEPS = 60;

async function picturesGiven(page: Page): Promise<number> {
  return page.evaluate(() => performance.getEntriesByName('lookout:marks-pack').length);
}

async function measures(page: Page): Promise<void> {
  await countFrames(page);
  await page.addInitScript(() => sessionStorage.setItem('lookout.measure', '1'));
}

/** @returns frames drawn meanwhile */
async function framesWhile(page: Page, pictures: number): Promise<{ frames: number; pictures: number }> {
  const [frames, given] = [await framesDrawn(page), await picturesGiven(page)];
  await expect.poll(() => picturesGiven(page)).toBeGreaterThanOrEqual(given + pictures);
  return { frames: (await framesDrawn(page)) - frames, pictures: (await picturesGiven(page)) - given };
}

test('A paused replay draws no frame, and a seek draws again', async ({ operator, page }) => {
  await measures(page);
  const dock = new ReplayDock(page);
  await operator.goesTo(replayPath(pastWindow(10)));
  await dock.loadsFully();
  const middle = await dock.pointAt(0.5);
  await page.mouse.click(middle.x, middle.y);
  await operator.seesPositions();
  await page.mouse.move(0, 0);
  await expect.poll(async () => (await framesWhile(page, 1)).frames, 'frames after the last change').toBe(0);
  expect((await framesWhile(page, 5)).frames).toBe(0);
  const before = await framesDrawn(page);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => framesDrawn(page)).toBeGreaterThan(before);
});

test('A live map at rest draws at most one frame for each answer and each second of age', async ({
  operator,
  page,
}) => {
  await measures(page);
  await operator.watches('/?view=46.9,8.2,7');
  await page.mouse.move(0, 0);
  await expect
    .poll(async () => {
      const { frames, pictures } = await framesWhile(page, 3);
      return frames <= pictures;
    })
    .toBe(true);
  const { frames, pictures } = await framesWhile(page, 7);
  expect(frames).toBeLessThanOrEqual(pictures);
});

test('Panning does not lay the page out in each frame', async ({ operator, page }) => {
  const dock = new ReplayDock(page);
  // Only the pan changes the page.
  await operator.goesTo(replayPath(pastWindow(10)));
  await dock.loadsFully();
  await page.keyboard.press('ArrowRight');
  await operator.seesPositions();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const layouts = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? Number.NaN;
  };
  const canvas = (await page.locator('.maplibregl-canvas').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const [x, y] = [canvas.x + canvas.width / 2, canvas.y + canvas.height / 4];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + 5);
  const before = await layouts();
  // The scale changes with each step.
  for (let step = 1; step <= PAN_STEPS; step++) {
    await page.mouse.move(x, y + 5 + 2 * step);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  const after = await layouts();
  await page.mouse.up();
  expect(after - before, `layouts in ${PAN_STEPS} frames`).toBeLessThan(PAN_STEPS / 10);
});

test('A lost graphics context leaves the theme’s ground and a word; restored, the marks are back', async ({
  operator,
  page,
}) => {
  await operator.watches('/?view=46.9,8.2,7.6');
  const canvas = page.getByTestId('map').locator('canvas');
  const middle = { lat: 46.9, lon: 8.2 };
  const extension = await canvas.evaluateHandle((element) =>
    (element as HTMLCanvasElement).getContext('webgl2')?.getExtension('WEBGL_lose_context'),
  );
  await extension.evaluate((lose) => lose?.loseContext());
  await expect(page.getByTestId('map').getByRole('alert')).toContainText('lost its graphics context');
  expect(await operator.luminanceAt({ ...middle, lat: 46.2 })).toBeLessThan(60);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await operator.luminanceAt({ ...middle, lat: 46.2 })).toBeGreaterThan(150);
  await extension.evaluate((lose) => lose?.restoreContext());
  await expect(page.getByTestId('map').getByRole('alert')).toHaveCount(0);
  await expect.poll(() => operator.marksDrawn()).toBeGreaterThan(0);
  await expect(canvas).toBeVisible();
});
