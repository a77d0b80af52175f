import { MINUTE_MS } from '#lib/time/time-units.ts';
import { expectsNoLayoutProblems } from './driver/layout-problems.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { addressTime, iso, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

interface Failing {
  readonly failing: RunningLookout;
}

const failingLookout = sharedInFile(({ plainBasemap }) => startLookout({ settings: plainBasemap }));
const test = lookoutTest.extend<Failing>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  failing: async ({}, use) => {
    const lookout = failingLookout();
    await use(lookout);
    await lookout.service.mend();
  },
});

/** Apart by more than their lead-ins, since loaded parts are cached. */
const [FAILED, UNREADABLE, LATE] = [pastWindow(5, 30), pastWindow(5, 40), pastWindow(5, 50)];

test.describe.configure({ mode: 'default' });
test.describe('Missing parts', () => {
  test('more positions than the service returns are incomplete in their minute and place, and nowhere else', async ({
    startDesk,
    page,
  }, testInfo) => {
    const file = makeRecording(
      testInfo.outputPath('recordings'),
      'adsb',
      [
        { id: 'a', lon: 8.5, lat: 47.2, alt_m: 3000 },
        { id: 'b', lon: 7.5, lat: 46.5, alt_m: 4000 },
      ],
      { afterMs: 4 * MINUTE_MS, tracks: 1200, lon: 8.201, lat: 46.901 },
    );
    const { operator } = await startDesk({ service: playing(file) });
    const dock = new ReplayDock(page);
    await dock.asksFirst();
    // The recording's densest minute was 11 minutes ago.
    const window = pastWindow(10, 6);
    await operator.goesTo(replayPath(window));
    await dock.loads();
    await dock.isLoaded();
    const band = await dock.band('Aircraft');
    const cut = band.filter(({ state }) => state === 'truncated');
    const whole = band.filter(({ state }) => state === 'complete');
    expect(cut).toHaveLength(1);
    expect(whole.length + cut.length).toBe(band.length);
    const [minute] = cut as [(typeof cut)[0]];
    expect(Date.parse(minute.end) - Date.parse(minute.start)).toBe(MINUTE_MS);
    await expect(dock.loading).toHaveText(
      /^Aircraft: 1 min incomplete \(more positions in one second and place than the service returns\) · \d+ requests made$/,
    );
    const partOf = (ms: number) => (ms - window.start) / (window.end - window.start);
    const inside = await dock.pointAt(partOf(Date.parse(minute.start) + 30_000));
    await page.mouse.click(inside.x, inside.y);
    await expect(operator.state('Aircraft')).toHaveText(
      'Aircraft: incomplete at this time: more positions in one second and place than the service returns',
    );
    // Far from the dense minute, and not at the start.
    const calm = Date.parse(minute.start) - window.start > 5 * MINUTE_MS ? 3 : 9;
    const outside = await dock.pointAt(calm / 10);
    await page.mouse.click(outside.x, outside.y);
    await expect(operator.state('Aircraft')).toHaveText('Aircraft: fully loaded');
  });

  test('failed parts are marked, with the reason, and can be retried', async ({ failing: { url, service }, page }) => {
    const operator = new LookoutDriver(page, url);
    const dock = new ReplayDock(page);
    await dock.asksFirst();
    await service.breakWith({ kind: 'cut_json', operation: 'history_adsb' });
    await operator.goesTo(replayPath(FAILED));
    await dock.loads();
    await dock.isLoaded();
    const whole = { start: iso(FAILED.start), end: iso(FAILED.end) };
    expect(await dock.band('Aircraft')).toEqual([{ state: 'failed', ...whole }]);
    await expect(dock.loading).toHaveText(
      /5 min failed, lead-in failed \(unreadable answer from the service\) · \d+ requests? made/,
    );
    await expect(operator.state('Aircraft')).toHaveText(
      'Aircraft: could not be loaded at this time: unreadable answer from the service',
    );
    await test.step('at every width the reason fits', () => expectsNoLayoutProblems(page));
    await service.mend();
    await dock.button('Try again').click();
    await expect.poll(() => dock.band('Aircraft')).toEqual([{ state: 'complete', ...whole }]);
  });

  test('records that break the contract are left out and counted, and make a gap of their part, of which the rest is loaded', async ({
    failing: { url, service },
    page,
  }) => {
    const operator = new LookoutDriver(page, url);
    const dock = new ReplayDock(page);
    await dock.asksFirst();
    await service.breakWith({ kind: 'bad_record', operation: 'history_adsb' });
    await operator.goesTo(replayPath(UNREADABLE));
    await dock.loads();
    await dock.isLoaded();
    await expect(dock.loading).toHaveText(
      /^Aircraft: .*unreadable answer from the service.*, \d+ records unreadable · \d+ requests made$/,
    );
    expect(await dock.observations('Aircraft')).toBeGreaterThan(100);
  });

  test('a replay that gets ahead of its load shows that it is buffering, and continues', async ({
    failing: { url, service },
    page,
  }) => {
    const operator = new LookoutDriver(page, url);
    const dock = new ReplayDock(page);
    await dock.asksFirst();
    await operator.goesTo(replayPath(LATE, '&speed=120'));
    await service.breakWith({ kind: 'slow', delay_ms: 3000, operation: 'history_adsb', times: 1 });
    await dock.loads();
    await dock.button('Play').click();
    await expect(dock.loading).toContainText('Buffering');
    expect(await dock.shownAtMs()).toBe(LATE.start);
    await dock.isLoaded();
    await expect(dock.loading).not.toContainText('Buffering');
    await expect.poll(() => dock.shownAtMs()).toBe(LATE.end);
    await expect(dock.button('Play')).toBeVisible();
  });

  test('closing a page stops its load', async ({ failing: lookout, page, browser }) => {
    const elsewhere = await browser.newPage();
    const operator = new LookoutDriver(elsewhere, lookout.url);
    const dock = new ReplayDock(elsewhere);
    await dock.asksFirst();
    await operator.goesTo(replayPath(pastWindow(60)));
    await lookout.service.breakWith({ kind: 'slow', delay_ms: 1000, operation: 'history_adsb' });
    await dock.loads();
    await expect.poll(async () => (await lookout.service.requests()).length).toBeGreaterThan(0);
    await elsewhere.close();
    // Long enough for requests of the closed page's load, if it continued.
    await lookout.service.breakWith({ kind: 'slow', delay_ms: 500, operation: 'history_rid' });
    const other = new ReplayDock(page);
    await other.asksFirst();
    const { start, end } = pastWindow(5);
    await page.goto(`${lookout.url}/?view=46.9,8.2,8&layers=rid&from=${addressTime(start)}&to=${addressTime(end)}`);
    await other.loads();
    await other.isLoaded();
    const later = await lookout.service.requests();
    expect(later.filter(({ operation }) => operation === 'history_adsb').length).toBeLessThanOrEqual(4);
  });
});
