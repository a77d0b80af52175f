import { afterEach, expect, test } from 'vitest';
import { msBetween } from '#lib/time/instant.ts';
import { historyQuery, loadAll, startHistoryHarness, tracks } from '#testing/history-harness.ts';

let close = async () => {};
afterEach(() => close());

// With some of these limits, one part reserves a minute's last request while the other tries to.
test.each([9, 10, 11, 12])(
  'a load that needs more than the %s requests of a minute continues in the next ones, and completes',
  async (perMinute) => {
    const observations = tracks(36);
    const history = await startHistoryHarness(observations, { allowance: { perMinute, perDay: 10_000 } });
    close = () => history.live.close();
    const startedAt = history.live.now();
    const { adsb, keys } = await loadAll(history.reader, historyQuery({ layers: ['rid', 'adsb'], maxRequests: 500 }));
    expect(adsb).toMatchObject({ complete: true, gaps: [] });
    expect(keys.size).toBe(observations.length);
    expect(history.requests()).toBeGreaterThan(18);
    expect(msBetween(startedAt, history.live.now())).toBeGreaterThan(60_000);
  },
);
