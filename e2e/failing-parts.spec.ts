import type { Page } from '@playwright/test';
import { runs } from '#testing/budget.ts';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

type Part = 'shell' | 'map' | 'panel';

/** Makes the browser API of a part throw: Lookout has no switch for failures. */
async function prepareSabotage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { matchMedia } = window;
    window.matchMedia = (query) => {
      const part = Reflect.get(window, 'sabotage');
      if (part === 'shell') throw new Error('sabotage of the shell');
      if (part === 'map' && query === '(hover: hover)') throw new Error('sabotage of the map');
      return matchMedia.call(window, query);
    };
    const { toLocaleString: original } = Number.prototype;
    Number.prototype.toLocaleString = function (...args) {
      if (Reflect.get(window, 'sabotage') === 'panel') throw new Error('sabotage of the panel');
      return original.apply(this, args);
    };
  });
}

const sabotages = (page: Page, part: Part | undefined) =>
  page.evaluate((name) => Reflect.set(window, 'sabotage', name), part);

const SEEKS = runs(300);
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

test('A failed panel, map or page leaves the rest working, has a message and an id, and can be tried again; seeks, keys and scrolls break no part', async ({
  operator,
  page,
}) => {
  const [problems, violations]: [string[], string[]] = [[], []];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text());
  });
  await prepareSabotage(page);
  const dock = new ReplayDock(page);
  const failures = page.getByTestId('failure');
  await operator.goesTo(replayPath(pastWindow(6)));
  await dock.loadsFully();

  await test.step('the panel fails, and the replay and the map work', async () => {
    await page.keyboard.press('End');
    await expect.poll(() => operator.marksDrawn()).toBeGreaterThan(0);
    await sabotages(page, 'panel');
    await operator.tracks.firstReceived.click();
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

  await test.step(`${SEEKS} random seeks, keys and scrolls of a loaded replay`, async () => {
    // Without a GPU the map takes most of the time, so it is small.
    const map = page.locator('.maplibregl-map');
    await map.evaluate(({ style }) => {
      style.setProperty('width', '80px', 'important');
      style.setProperty('height', '80px', 'important');
    });
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
    for (let done = 0; done < SEEKS; done++) {
      await actions[Math.floor(random() * actions.length)]?.();
      if (random() < 0.5) await frames(page, Math.floor(random() * 6));
      expect(problems, `after ${done + 1} actions`).toEqual([]);
    }
    await expect(dock.dock).toBeVisible();
    await expect(operator.tracks.table).toBeVisible();
    await expect(failures).toHaveCount(0);
  });

  await page.addInitScript(() => {
    const isReplay = new URLSearchParams(window.location.search).has('from');
    Reflect.set(window, 'sabotage', isReplay ? 'shell' : 'map');
  });
  await test.step('the page fails as a whole, claims no empty sky, and offers the live picture', async () => {
    await operator.goesTo(replayPath(pastWindow(5)));
    await expect(failures).toContainText('The page failed. This is a defect in Lookout.');
    await expect(page.getByText('No positions are shown; this does not mean that the sky is empty.')).toBeVisible();
    await expect(page.getByTestId('standing-notice')).toBeVisible();
    await failures.getByRole('link', { name: 'Open the live picture' }).click();
  });

  await test.step('the map fails, and the page is live without it', async () => {
    await expect(failures).toContainText('The map failed. This is a defect in Lookout.');
    await expect(page.getByTestId('absent-area')).toContainText('around 46.90000, 8.20000');
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
    await expect(operator.tracks.rows.first()).toBeVisible();
    await sabotages(page, undefined);
    await failures.getByRole('button', { name: 'Try again' }).click();
    await operator.seesPositions();
    expect(operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 8 });
  });
  expect(violations).toEqual([]);
});

test('Code that does not arrive or stops is reported as such, not as a defect, and requested again until the page, its workers, the map and a replay are there', async ({
  operator,
  page,
  sharedLookout,
}) => {
  const first = await (await page.request.get(sharedLookout.url)).text();
  let faulty: 'later chunks' | 'workers' | 'workers stop' | undefined = 'later chunks';
  const lost = new Set<string>();
  await page.route('**/_next/static/chunks/**', (route) =>
    faulty === 'later chunks' && !first.includes(new URL(route.request().url()).pathname)
      ? route.fulfill({ status: 502 })
      : route.fallback(),
  );
  await page.route(/turbopack-worker|maplibre-gl-worker/, (route) => {
    const [worker] = /turbopack|maplibre/.exec(route.request().url()) as RegExpExecArray;
    if (faulty === 'workers') {
      lost.add(worker);
      return route.fulfill({ status: worker === 'turbopack' ? 404 : 502 });
    }
    if (faulty === 'workers stop' && worker === 'turbopack')
      return route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("sabotage of a worker")' });
    return route.fallback();
  });
  const dock = new ReplayDock(page);
  await dock.asksFirst();

  await test.step('the page', async () => {
    await operator.goesTo('/?view=46.9,8.2,9');
    const failure = page.getByTestId('failure');
    await expect(failure).toContainText('The page could not be loaded: no answer from Lookout’s own server');
    faulty = 'workers';
    await failure.getByRole('button', { name: 'Reload the page' }).click();
  });

  await test.step('the workers of the picture and the map', async () => {
    const missing = page.getByTestId('map-absent').filter({ hasText: 'The map could not be loaded' });
    await expect(missing).toBeVisible();
    const notice = operator.notice('not-loaded');
    await expect(notice).toContainText('A part of this page did not load, and is requested again.');
    await expect(notice.getByRole('button', { name: 'Reload the page' })).toBeVisible();
    expect([...lost].sort()).toEqual(['maplibre', 'turbopack']);

    faulty = 'workers stop';
    const stopped = operator.notice('stopped');
    await expect(stopped).toContainText('A part of this page stopped, and is started again.');
    await expect(page.getByText('Lookout’s own server does not answer')).toHaveCount(0);

    faulty = undefined;
    await operator.seesPositions();
    for (const said of [missing, notice, stopped]) await expect(said).toHaveCount(0);
  });

  await test.step('a dialog', async () => {
    faulty = 'later chunks';
    await page.getByRole('button', { name: 'Share' }).click();
    const missing = page.getByRole('alert').filter({ hasText: 'Sharing could not be loaded' });
    await expect(missing).toBeVisible();
    faulty = undefined;
    await expect(page.getByRole('dialog')).toBeVisible();
    await expect(missing).toHaveCount(0);
    await page.keyboard.press('Escape');
  });

  await test.step('the worker of a replay', async () => {
    faulty = 'workers';
    await page.keyboard.press('r');
    const load = dock.button(/^Load \d+ (h|min)/);
    await expect(load.or(dock.button('Try again'))).toBeVisible();
    // Parts of other tests cost nothing.
    if (await load.isVisible()) await load.click();
    await expect(dock.button('Try again')).toBeVisible();
    faulty = undefined;
    await dock.button('Try again').click();
    await dock.loadsFully();
  });
});
