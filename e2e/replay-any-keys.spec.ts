import type { Page } from '@playwright/test';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

// Drawing the map without a GPU takes most of the time and is not what is tested, so the map is made small.
test.use({ bypassCSP: true });
const SMALL_MAP = '.maplibregl-map { width: 80px !important; height: 80px !important; }';

const ACTIONS = 300;
const SEED = 20_261_121;

/** The same actions in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Waits for `count` frames, as an operator does between actions. */
async function frames(page: Page, count: number): Promise<void> {
  await page.evaluate(async (left) => {
    for (let frame = 0; frame < left; frame++) await new Promise(requestAnimationFrame);
  }, count);
}

test(`${ACTIONS} random seeks, keys and scrolls of a loaded replay break no part of the page`, async ({
  operator,
  page,
}) => {
  test.setTimeout(600_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  const dock = new ReplayDock(page);
  await operator.goesTo(replayPath(pastWindow(6)));
  await dock.loadsFully();
  await page.addStyleTag({ content: SMALL_MAP });
  await operator.tracks.sortsBy(/^Age/);
  const listed = (await operator.tracks.table.boundingBox()) ?? { x: Number.NaN, y: Number.NaN };
  const random = seeded(SEED);
  const keys = ['Home', 'End', 'ArrowLeft', 'ArrowRight', 'Shift+ArrowLeft', 'Shift+ArrowRight', ' ', '[', ']', 't'];
  const seek = async (part: number) => {
    const { x, y } = await dock.pointAt(part);
    await page.mouse.click(x, y);
  };
  const actions: readonly (() => Promise<void>)[] = [
    () => seek(0.001),
    () => seek(0.999),
    () => seek(random()),
    () => page.keyboard.press(keys[Math.floor(random() * keys.length)] as string),
    () => page.keyboard.press(random() < 0.5 ? 'Home' : 'End'),
    async () => {
      await page.mouse.move(listed.x + 60, listed.y + 20);
      await page.mouse.wheel(0, Math.round((random() - 0.4) * 4000));
    },
    async () => {
      await operator.tracks.table.focus();
      await page.keyboard.press(['ArrowDown', 'PageDown', 'End', 'Home', 'Enter'][Math.floor(random() * 5)] as string);
      await page.getByTestId('replay-cursor').focus();
    },
  ];
  for (let done = 0; done < ACTIONS; done++) {
    await actions[Math.floor(random() * actions.length)]?.();
    if (random() < 0.5) await frames(page, Math.floor(random() * 6));
    expect(problems, `after ${done + 1} actions`).toEqual([]);
  }
  await expect(dock.dock).toBeVisible();
  await expect(operator.tracks.table).toBeVisible();
  await expect(page.getByTestId('failure')).toHaveCount(0);
});
