import type { Page } from '@playwright/test';

interface FrameCount {
  frames: number;
}

/** Tasks in which WebGL draws, in pages opened from now on. */
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

export interface Drawn {
  readonly frames: number;
  /** Given to the map, in pages that measure. */
  readonly pictures: number;
}

/** Both at once: a picture between two counts would be in one of them alone. */
export async function drawnSoFar(page: Page): Promise<Drawn> {
  return page.evaluate(() => ({
    frames: (window as unknown as { lookoutFrames: FrameCount }).lookoutFrames.frames,
    pictures: performance.getEntriesByName('lookout:marks-pack').length,
  }));
}
