import type { Request } from '@playwright/test';
import { expect, test } from './lookout-test.ts';

test('A link opens its view; what was received is drawn, counted and called simulated; layers, legend and theme switch; the address follows the map', async ({
  operator,
}) => {
  const { page } = operator;

  await test.step('unknown or invalid parameters are ignored and named, and the rest is applied', async () => {
    await operator.watches('/?view=nowhere&layers=rid,boats&lat=47.2&lon=8.6&zoom=8&colour=red');
    await expect(operator.notice('ignored')).toContainText(/“colour=red”.*view, layers/);
    expect(operator.viewInAddress()).toEqual({ lat: 47.2, lon: 8.6, zoom: 8 });
  });

  await test.step('draws and counts what was received, and says that all of it is simulated', async () => {
    await expect(operator.state('Aircraft')).toHaveText(/^Aircraft: up to date, read \d+ s ago$/);
    await expect(operator.state('Drones')).toHaveText(/^Drones: up to date, read \d+ s ago$/);
    const allSimulated = /^([1-9]\d* simulated|Simulated: [1-9]\d* · \d+ expired)$/;
    await expect(operator.count('Aircraft')).toHaveText(allSimulated);
    await expect(operator.count('Drones')).toHaveText(allSimulated);
    await expect(operator.notice('all-simulated')).toBeVisible();
    await expect
      .poll(
        async () => (await operator.tracks.received()) - (await operator.tracks.listed()),
        'tracks counted minus tracks listed',
      )
      .toBe(0);
    expect(await operator.marksDrawn()).toBeGreaterThanOrEqual(await operator.tracks.received());
    await expect.poll(() => operator.miscounted(), 'positions counted too few or too many').toBe(0);
  });

  await test.step('stores the time to live of what it received, for replays', async () => {
    const storedTtl = () => page.evaluate(() => window.localStorage.getItem('lookout.time-to-live') ?? '');
    await expect.poll(storedTtl).toContain('"drone":45000');
  });

  await test.step('does not request a layer that is off, and says so', async () => {
    await operator.switchesLayer('Drones');
    await expect(operator.state('Drones')).toHaveText('Drones: layer is off, not requested');
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
    await expect.poll(() => operator.answers.lastRequest()?.searchParams.get('layers')).toBe('adsb');
    await expect.poll(() => operator.answers.last()?.layers.rid).toBeUndefined();
    expect(new URL(page.url()).searchParams.get('layers')).toBe('adsb');
    await operator.switchesLayer('Drones');
    await expect(operator.state('Drones')).toHaveText(/up to date/);
  });

  await test.step('the legend explains marks and colours, and can be hidden', async () => {
    await expect(operator.legend).toContainText('Aircraft altitude, m');
    await expect(operator.legend).not.toContainText('Simulated');
    await operator.button('Marks').click();
    await expect(operator.legend.getByRole('heading').first()).toHaveText('On the map now');
    await expect(operator.legend).toContainText('Simulated');
    await expect(operator.legend).toContainText('Several stations');
    await operator.button('Hide the legend').click();
    await expect(operator.legend).toHaveCount(0);
    await operator.button('Show the legend').click();
    await expect(operator.legend).toBeVisible();
  });

  await test.step('panning moves the view in the address, and adds no history entries', async () => {
    const before = await page.evaluate(() => history.length);
    await operator.drags(150, -80);
    await expect.poll(() => operator.viewInAddress()?.lon).toBeLessThan(8.4);
    expect(await page.evaluate(() => history.length)).toBe(before);
  });

  const dark = await operator.backgroundColour();
  const moved = operator.viewInAddress();
  await test.step('a reload brings back the same view, and the theme that was chosen with one button', async () => {
    await operator.choosesTheme('light');
    expect(await operator.backgroundColour()).not.toBe(dark);
    await page.reload();
    await operator.seesPositions();
    expect(operator.viewInAddress()).toEqual(moved);
    expect(await operator.backgroundColour()).not.toBe(dark);
  });

  await test.step('a drag goes on when the map gets another size under it, and then the map has that size', async () => {
    const map = page.getByTestId('map');
    const heightOf = (part: string) => map.locator(part).evaluate(({ clientHeight }) => clientHeight);
    // Both heights have one column of tools: a second one moves the edge from which the map takes the pointer's place.
    await page.setViewportSize({ width: 1280, height: 760 });
    const height = await heightOf('.maplibregl-map');
    await operator.drags(300, 0, async () => {
      await page.setViewportSize({ width: 1280, height: 680 });
      await expect.poll(() => heightOf('.maplibregl-map')).toBeLessThan(height);
    });
    // 300 pixels at zoom 8.
    await expect.poll(() => operator.viewInAddress()?.lon).toBeLessThan((moved?.lon ?? Number.NaN) - 0.8);
    const after = await heightOf('.maplibregl-map');
    await expect.poll(async () => Math.abs((await heightOf('canvas')) - after)).toBeLessThan(4);
  });

  await test.step('the counts of one origin have room in one line of their chip', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const count = operator.shownCount('Aircraft');
    const room = () =>
      count.evaluate((shown) => {
        const chip = shown.closest('button') as HTMLButtonElement;
        const { paddingLeft, paddingRight } = getComputedStyle(chip);
        return chip.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      });
    const text = await count.evaluate((shown) => {
      const context = document.createElement('canvas').getContext('2d');
      if (!context) throw new Error('the canvas has no context');
      context.font = getComputedStyle(shown).font;
      return context.measureText('1461/1473 SIM').width;
    });
    await expect.poll(room).toBeGreaterThanOrEqual(text);
  });
});

test('The first live request leaves with the page, before its scripts, and is the only one for its view at every size', async ({
  page,
  sharedLookout,
}) => {
  for (const [width, height] of [
    [390, 844],
    [844, 390],
    [1280, 800],
    [1440, 900],
  ] as const) {
    // The page of the size before would go on polling.
    await page.goto('about:blank');
    await page.setViewportSize({ width, height });
    const asked: URL[] = [];
    const onRequest = (request: Request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/live') asked.push(url);
    };
    page.on('request', onRequest);
    await page.goto(`${sharedLookout.url}/?view=47.2,8.6,8`);
    await expect(page.getByTestId('map')).toHaveAttribute('data-ready', 'true');
    await expect.poll(() => asked.length, `polls at ${width} × ${height}`).toBeGreaterThan(2);
    page.off('request', onRequest);
    const isFirst = (url: URL) => !url.searchParams.has('since');
    expect(asked.filter(isFirst), `requests without an answer at ${width} × ${height}`).toHaveLength(1);
    expect(new Set(asked.map((url) => url.searchParams.get('page'))).size).toBe(1);
    // Requests of the worker are not among the page's.
    const sentWithin = await page.evaluate(() => {
      const [{ responseStart }] = performance.getEntriesByType('navigation') as [PerformanceNavigationTiming];
      const sent = performance.getEntriesByType('resource').find(({ name }) => name.includes('/api/live?'));
      const scripts = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'));
      const lastMs = Math.max(...scripts.map(({ startTime }) => startTime));
      return {
        sentMs: (sent?.startTime ?? Number.NaN) - responseStart,
        isBeforeScripts: (sent?.startTime ?? 0) < lastMs,
      };
    });
    expect(sentWithin.isBeforeScripts).toBe(true);
    expect(sentWithin.sentMs).toBeGreaterThan(0);
  }
});
