import type { Page } from '@playwright/test';
import { countFrames, type Drawn, drawnSoFar } from './driver/frames-drawn.ts';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

// Labels that fade draw frames.
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const PAN_STEPS = 30;

async function measures(page: Page): Promise<void> {
  await countFrames(page);
  await page.addInitScript(() => sessionStorage.setItem('lookout.measure', '1'));
}

/** @returns what was drawn meanwhile */
async function framesWhile(page: Page, pictures: number): Promise<Drawn> {
  const before = await drawnSoFar(page);
  await expect.poll(async () => (await drawnSoFar(page)).pictures).toBeGreaterThanOrEqual(before.pictures + pictures);
  const after = await drawnSoFar(page);
  return { frames: after.frames - before.frames, pictures: after.pictures - before.pictures };
}

test('A map at rest draws no needless frame, a pan lays nothing out, and a lost graphics context leaves the ground, a word and a live page', async ({
  operator,
  page,
}) => {
  await measures(page);
  await operator.watches('/?view=46.9,8.2,8');

  await test.step('a live map at rest draws at most one frame for each answer and each second of age', async () => {
    await page.mouse.move(0, 0);
    await expect
      .poll(async () => {
        const { frames, pictures } = await framesWhile(page, 3);
        return frames <= pictures;
      })
      .toBe(true);
    const { frames, pictures } = await framesWhile(page, 7);
    // The frame of the picture before the first count may come after it.
    expect(frames).toBeLessThanOrEqual(pictures + 1);
  });

  const losesContext = async () => {
    const extension = await page
      .getByTestId('map')
      .locator('canvas')
      .evaluateHandle((element) =>
        (element as HTMLCanvasElement).getContext('webgl2')?.getExtension('WEBGL_lose_context'),
      );
    await extension.evaluate((lose) => lose?.loseContext());
    return () => extension.evaluate((lose) => lose?.restoreContext());
  };

  await test.step('a lost graphics context leaves the theme’s ground and a word; restored, the marks are back', async () => {
    const restores = await losesContext();
    const alert = page.getByTestId('map').getByRole('alert');
    await expect(alert).toContainText('lost its graphics context');
    const ground = { lat: 46.6, lon: 8.2 };
    expect(await operator.luminanceAt(ground)).toBeLessThan(60);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await operator.luminanceAt(ground)).toBeGreaterThan(150);
    await restores();
    await expect(alert).toHaveCount(0);
    await expect.poll(() => operator.marksDrawn()).toBeGreaterThan(0);
    await expect(page.getByTestId('map').locator('canvas')).toBeVisible();
  });

  await test.step('a paused replay draws no frame, and a seek draws again', async () => {
    const dock = new ReplayDock(page);
    await operator.goesTo(replayPath(pastWindow(10)));
    await dock.loadsFully();
    const middle = await dock.pointAt(0.5);
    await page.mouse.click(middle.x, middle.y);
    await operator.seesPositions();
    await page.mouse.move(0, 0);
    // Code and tiles that arrive late are the last changes.
    await expect.poll(async () => (await framesWhile(page, 5)).frames, 'frames after the last change').toBe(0);
    const before = (await drawnSoFar(page)).frames;
    await page.keyboard.press('ArrowRight');
    await expect.poll(async () => (await drawnSoFar(page)).frames).toBeGreaterThan(before);
  });

  await test.step('panning does not lay the page out in each frame', async () => {
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
    // Clocks lay out once a second, and slow frames take a while.
    expect(after - before, `layouts in ${PAN_STEPS} frames`).toBeLessThan(PAN_STEPS / 2);
  });

  await test.step('a graphics context that the browser does not restore leaves the page live without a map', async () => {
    await page.keyboard.press('r');
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
    await losesContext();
    const absent = page.getByTestId('map-absent');
    await expect(absent).toContainText('The graphics of this machine failed');
    await expect(absent.getByRole('button', { name: 'Reload the page' })).toBeVisible();
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
    const before = operator.covered().latSpanDeg;
    await page.keyboard.press('-');
    await expect.poll(() => operator.covered().latSpanDeg).toBeGreaterThan(1.5 * before);
  });
});
