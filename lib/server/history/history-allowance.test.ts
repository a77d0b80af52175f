import { afterEach, expect, test } from 'vitest';
import { msBetween } from '#lib/time/instant.ts';
import { historyQuery, loadAll, startHistoryHarness, tracks } from '#testing/history-harness.ts';

let close = async () => {};
afterEach(() => close());

// With some of them the last request of a minute is lent to one part while the other asks for it.
test.each([9, 10, 11, 12])(
  'a load that takes more than the %s requests of a minute goes on in the next ones, and is complete',
  async (perMinute) => {
    const observations = tracks(200);
    const history = await startHistoryHarness(observations, { allowance: { perMinute, perDay: 10_000 } });
    close = () => history.live.close();
    const begunAt = history.live.now();
    const { adsb, keys } = await loadAll(history.reader, historyQuery({ layers: ['rid', 'adsb'], maxRequests: 500 }));
    expect(adsb).toMatchObject({ complete: true, gaps: [] });
    expect(keys.size).toBe(observations.length);
    expect(history.requests()).toBeGreaterThan(36);
    expect(msBetween(begunAt, history.live.now())).toBeGreaterThan(3 * 60_000);
  },
);
