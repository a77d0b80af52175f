import { letTimePass } from './driver/browser-clock.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { expect, test } from './lookout-test.ts';
import { startListeningProxy } from './running/listening-proxy.ts';

const LAYERS = ['Aircraft', 'Drones'] as const;
const SHOWING = String.raw`showing positions read \d+ s ago`;
const ERROR_LINE = 'a page reported an error of its own';

// lib/server/live/failure-table.test.ts has all failures of the service, components/layers/failures.test.tsx their texts.
test('Failures arrive on the map with their reasons, its positions stay and age meanwhile, and it recovers from each', async ({
  page,
  service,
  sharedLookout,
}) => {
  const proxy = await startListeningProxy(sharedLookout.url);
  const operator = new LookoutDriver(page, proxy.url);
  const recovers = async () => {
    for (const layer of LAYERS) await expect(operator.state(layer)).toHaveText(/^\w+: up to date, read \d+ s ago$/);
  };
  const positionsStay = async () => {
    expect(await operator.marksDrawn()).toBeGreaterThan(0);
    await expect(page.getByText('No aircraft positions received')).toHaveCount(0);
  };
  await operator.watches('/?view=46.9,8.2,7');
  await recovers();

  await test.step('503: says so and since when', async () => {
    await service.breakWith({ kind: 'status', status: 503 });
    for (const layer of LAYERS) {
      await expect(operator.state(layer)).toHaveText(
        new RegExp(String.raw`^${layer}: service busy since \d\d:\d\d:\d\dZ, ${SHOWING}$`),
      );
    }
    await operator.waitsUntilOld('Aircraft', 3);
    await positionsStay();
    await service.mend();
    await recovers();
  });

  await test.step('an unreadable record: the others are shown, and it is counted', async () => {
    await service.breakWith({ kind: 'bad_record', operation: 'live_adsb' });
    await expect(operator.state('Aircraft')).toHaveText(/^Aircraft: up to date, read \d+ s ago · 1 record unreadable$/);
    await expect(operator.state('Drones')).toHaveText(/^Drones: up to date, read \d+ s ago$/);
    expect(await operator.countOf('Aircraft')).toBeGreaterThan(1);
    await service.mend();
    await recovers();
  });

  await test.step('an answer of Lookout that the page cannot read is its own failure, with one line in the log without places', async () => {
    const { length } = sharedLookout.app.stderr();
    let unreadable = 0;
    await page.route('**/api/live*', (route) => {
      unreadable++;
      return route.fulfill({
        status: 200,
        contentType: 'application/octet-stream',
        body: 'no frame at 46.9481,7.4474',
      });
    });
    const notice = operator.notice('unreadable');
    await expect(notice).toContainText('This page could not read the answer.');
    await expect(notice.getByRole('button', { name: 'Reload the page' })).toBeVisible();
    await expect.poll(() => unreadable).toBeGreaterThanOrEqual(3);
    await positionsStay();
    const lines = () =>
      sharedLookout.app
        .stderr()
        .slice(length)
        .split('\n')
        .filter((line) => line.includes(ERROR_LINE));
    await expect.poll(lines).toHaveLength(1);
    const [line = ''] = lines();
    expect(JSON.parse(line)).toMatchObject({
      kind: 'answer',
      operator: 'local',
      engine: expect.stringMatching(/^Blink, /),
    });
    for (const place of ['46.9', '8.2', '7.4474', 'view=']) expect(line).not.toContain(place);
    await page.unroute('**/api/live*');
    await expect(notice).toHaveCount(0);
    await recovers();
  });

  await test.step('an offline browser says so once, without a jump of the map or its chips', async () => {
    const mapBox = () => page.getByTestId('map').boundingBox();
    const [before, chip] = [await mapBox(), page.getByTestId('chip-adsb')];
    const widthPx = (await chip.boundingBox())?.width;
    await operator.goesOffline();
    await expect(operator.notice('offline')).toHaveText(/^You are offline\. Last update \d+ s ago\.$/);
    await letTimePass(page, 20_000);
    await operator.waitsUntilOld('Aircraft', 20);
    await positionsStay();
    await expect(operator.state('Aircraft')).not.toHaveText(/up to date/);
    expect(await mapBox()).toEqual(before);
    expect((await chip.boundingBox())?.width).toBe(widthPx);
    await expect(page.locator('.strip-line, .failure-line', { hasText: /offline|old/ }), 'said once').toHaveCount(1);
    await page.context().setOffline(false);
    await expect(operator.notice('offline')).toHaveCount(0);
    await recovers();
  });

  await test.step('Lookout’s own server is gone: says so over the map, which does not move', async () => {
    const mapBox = () => page.getByTestId('map').boundingBox();
    const before = await mapBox();
    proxy.stop();
    await expect(operator.notice('unreachable')).toHaveText(
      /^Lookout’s own server does not answer\. Last update \d+ s ago\.$/,
    );
    expect(await mapBox()).toEqual(before);
    await letTimePass(page, 20_000);
    await operator.waitsUntilOld('Aircraft', 20);
    await positionsStay();
    await expect(operator.state('Aircraft')).not.toHaveText(/up to date/);
  });

  await test.step('expired positions are counted apart, and called simulated, as long as they are on the map', async () => {
    await letTimePass(page, 80_000);
    for (const layer of LAYERS)
      await expect(operator.count(layer)).toHaveText(/^0 current · [1-9]\d* simulated expired$/);
    await expect(operator.tracks.rows.first()).toContainText('expired');
    const counted = await operator.expired();
    expect(counted).toBeGreaterThan(0);
    expect(await operator.marksDrawn()).toBeGreaterThanOrEqual(counted);
    await expect(operator.notice('all-simulated')).toBeVisible();
  });

  await test.step('gone from the map they are not counted: a 0 would read as an empty sky, and nothing is known any more', async () => {
    await letTimePass(page, 200_000);
    for (const layer of LAYERS) await expect(operator.count(layer)).toHaveCount(0);
    await expect.poll(() => operator.marksDrawn()).toBe(0);
    await expect(operator.notice('all-simulated')).toHaveCount(0);
  });
});
