import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { expectsNoLayoutProblems } from './driver/layout-problems.ts';
import { iso, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

const hoursAgo = (hours: number) => (hours * HOUR_MS) / MINUTE_MS;
/** No other test loads them. */
const [FAILED, UNREADABLE, LEFT, AFTERWARDS] = [
  pastWindow(5, hoursAgo(40)),
  pastWindow(5, hoursAgo(42)),
  pastWindow(60, hoursAgo(44)),
  pastWindow(5, hoursAgo(48)),
];

test('Missing parts of a replay are marked with their reason, and can be retried; a closed page stops its load', async ({
  operator,
  page,
  request,
  service,
  sharedLookout,
}) => {
  const dock = new ReplayDock(page);
  await dock.asksFirst();

  await test.step('failed parts', async () => {
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

  await test.step('records that break the contract are left out and counted, and the rest of their part is loaded', async () => {
    await service.breakWith({ kind: 'bad_record', operation: 'history_adsb' });
    await operator.goesTo(replayPath(UNREADABLE));
    await dock.loads();
    await dock.isLoaded();
    await expect(dock.loading).toHaveText(
      /^Aircraft: .*unreadable answer from the service.*, \d+ records unreadable · \d+ requests made$/,
    );
    expect(await dock.observations('Aircraft')).toBeGreaterThan(100);
  });

  await test.step('a closed page', async () => {
    await operator.goesTo(replayPath(LEFT));
    await expect(dock.loading).toHaveAttribute('data-loading', 'quoted');
    await service.breakWith({ kind: 'hold', operation: 'history_adsb' });
    await dock.loads();
    await expect.poll(async () => (await service.requests()).length).toBeGreaterThan(0);
    await page.close();
    // Long enough for requests of the closed page's load, if it continued.
    await service.breakWith({ kind: 'slow', delay_ms: 500, operation: 'history_rid' });
    const [start, end] = [iso(AFTERWARDS.start), iso(AFTERWARDS.end)];
    const query = `bbox=7,46,9,48&layers=rid&start=${start}&end=${end}`;
    const load = await request.get(`${sharedLookout.url}/api/history?${query}`, {
      headers: { accept: 'application/x-ndjson' },
    });
    expect(load.status()).toBe(200);
    expect((await load.text()).trim().split('\n').at(-1)).toContain('"type":"end"');
    const made = await service.requests();
    expect(made.some(({ operation }) => operation === 'history_rid')).toBe(true);
    // Pages of other tests read other times meanwhile.
    const ofLeft = made.filter(({ operation, query }) => operation === 'history_adsb' && isWithin(query, LEFT));
    expect(ofLeft.length).toBeLessThanOrEqual(4);
  });
});

/** Whether a request is for a time of the window, or up to a few minutes before. */
function isWithin(query: string, { start, end }: ReturnType<typeof pastWindow>): boolean {
  const asked = Date.parse(new URLSearchParams(query).get('start') ?? '');
  return asked >= start - 5 * MINUTE_MS && asked < end;
}
