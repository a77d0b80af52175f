import type { Page } from '@playwright/test';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

/** Makes the browser API of a part throw: Lookout has no switch for failures. */
async function prepareSabotage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { matchMedia } = window;
    window.matchMedia = (query) => {
      if (Reflect.get(window, 'sabotage') === 'shell') throw new Error('sabotage of the shell');
      return matchMedia.call(window, query);
    };
    const { toLocaleString: original } = Number.prototype;
    Number.prototype.toLocaleString = function (...args) {
      if (Reflect.get(window, 'sabotage') === 'panel') throw new Error('sabotage of the panel');
      return original.apply(this, args);
    };
  });
}

const sabotages = (page: Page, what: string | undefined) =>
  page.evaluate((name) => Reflect.set(window, 'sabotage', name), what);

test.beforeEach(({ page }) => prepareSabotage(page));

test('Failed parts leave the rest working, show a message and an id each, and can be tried again', async ({
  operator,
  page,
}) => {
  const dock = new ReplayDock(page);
  await operator.goesTo(replayPath(pastWindow(5)));
  await dock.loadsFully();
  await page.keyboard.press('End');
  await expect.poll(() => operator.marksDrawn()).toBeGreaterThan(0);
  await sabotages(page, 'panel');
  await operator.tracks.firstReceived.click();
  const failures = page.getByTestId('failure');
  await expect(failures.filter({ hasText: 'The panel failed. This is a defect in Lookout.' })).toBeVisible();
  await expect(page.getByTestId('failure-id').first()).toHaveText(/^[0-9a-f]{8}$/);
  await expect(dock.dock).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => operator.marksDrawn()).toBeGreaterThan(0);
  await sabotages(page, undefined);
  for (let left = await failures.count(); left > 0; left--) {
    await failures.first().getByRole('button', { name: 'Try again' }).click();
    await expect(failures).toHaveCount(left - 1);
  }
  await expect(operator.tracks.table).toBeVisible();
});

test('A page that fails as a whole says so without breaking the CSP, claims no empty sky, and offers the live picture', async ({
  operator,
  page,
}) => {
  const violations: string[] = [];
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text());
  });
  await page.addInitScript(() => {
    if (!new URLSearchParams(window.location.search).has('from')) return;
    Reflect.set(window, 'sabotage', 'shell');
  });
  await operator.goesTo(replayPath(pastWindow(5)));
  const failure = page.getByTestId('failure');
  await expect(failure).toContainText('The page failed. This is a defect in Lookout.');
  await expect(page.getByText('No positions are shown; this does not mean that the sky is empty.')).toBeVisible();
  await expect(page.getByTestId('standing-notice')).toBeVisible();
  await failure.getByRole('link', { name: 'Open the live picture' }).click();
  await operator.seesPositions();
  expect(operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 8 });
  expect(violations).toEqual([]);
});

test('Code that does not arrive is reported as such, not as a defect, and requested again', async ({
  operator,
  page,
  sharedLookout,
}) => {
  const first = await (await page.request.get(sharedLookout.url)).text();
  let isDown = true;
  // Files that the page requests later are missing.
  await page.route('**/_next/static/chunks/**', (route) =>
    isDown && !first.includes(new URL(route.request().url()).pathname)
      ? route.fulfill({ status: 502 })
      : route.continue(),
  );
  await operator.goesTo('/');
  const failure = page.getByTestId('failure');
  await expect(failure).toContainText('The page could not be loaded: no answer from Lookout’s own server');
  isDown = false;
  await failure.getByRole('button', { name: 'Reload the page' }).click();
  await operator.seesPositions();

  isDown = true;
  await page.getByRole('button', { name: 'Share' }).click();
  const missing = page.getByRole('alert').filter({ hasText: 'Sharing could not be loaded' });
  await expect(missing).toBeVisible();
  isDown = false;
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(missing).toHaveCount(0);
});

test('Workers whose code does not arrive are started again: the picture, the map and a replay come all the same', async ({
  operator,
  page,
}) => {
  let isDown = true;
  const lost = new Set<string>();
  await page.route(/turbopack-worker|maplibre-gl-worker/, (route) => {
    if (!isDown) return route.continue();
    lost.add(/turbopack|maplibre/.exec(route.request().url())?.[0] ?? '');
    return route.fulfill({ status: 502 });
  });
  const dock = new ReplayDock(page);
  await dock.asksFirst();
  await operator.goesTo('/?view=46.9,8.2,9');
  const missing = page.getByTestId('map-absent').filter({ hasText: 'The map could not be loaded' });
  await expect(missing).toBeVisible();
  await expect.poll(() => [...lost].sort()).toEqual(['maplibre', 'turbopack']);
  isDown = false;
  await operator.seesPositions();
  await expect(missing).toHaveCount(0);

  isDown = true;
  await page.keyboard.press('r');
  const load = dock.button(/^Load \d+ (h|min)/);
  await expect(load.or(dock.button('Try again'))).toBeVisible();
  // Parts of other tests cost nothing.
  if (await load.isVisible()) await load.click();
  await expect(dock.button('Try again')).toBeVisible();
  isDown = false;
  await dock.button('Try again').click();
  await dock.loadsFully();
});

const SMALL_MAP = '.maplibregl-map { width: 80px !important; height: 80px !important; }';

const ACTIONS = 300;
const SEED = 20_261_121;

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function frames(page: Page, count: number): Promise<void> {
  await page.evaluate(async (left) => {
    for (let frame = 0; frame < left; frame++) await new Promise(requestAnimationFrame);
  }, count);
}

test.describe('A replay', () => {
  // Without a GPU the map takes most of the time, so it is small.
  test.use({ bypassCSP: true });

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
        await page.keyboard.press(
          ['ArrowDown', 'PageDown', 'End', 'Home', 'Enter'][Math.floor(random() * 5)] as string,
        );
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
});
