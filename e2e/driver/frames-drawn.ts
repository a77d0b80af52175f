import type { Page } from '@playwright/test';

/** A page's counters, defined by `countFrames`. */
interface FrameCount {
  frames: number;
}

/** Makes pages opened from now on count the frames that WebGL draws: the tasks in which it draws anything. */
export async function countFrames(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const count = { frames: 0 };
    Object.assign(window, { lookoutFrames: count });
    let isCounted = false;
    const { prototype } = WebGL2RenderingContext;
    for (const name of ['clear', 'drawArrays', 'drawElements'] as const) {
      const draw = prototype[name] as (this: WebGL2RenderingContext, ...given: never[]) => void;
      Object.assign(prototype, {
        [name](this: WebGL2RenderingContext, ...given: never[]) {
          if (!isCounted) {
            isCounted = true;
            count.frames++;
            queueMicrotask(() => {
              isCounted = false;
            });
          }
          draw.apply(this, given);
        },
      });
    }
  });
}

/** Frames drawn since the page was opened. */
export async function framesDrawn(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as { lookoutFrames: FrameCount }).lookoutFrames.frames);
}
