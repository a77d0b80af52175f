import { afterEach, expect, test } from 'vitest';
import { historyQuery, loadAll, startHistoryHarness, tracks } from '#testing/history-harness.ts';

let close = async () => {};
afterEach(() => close());

test('cached parts are announced even where no request is allowed', async () => {
  const history = await startHistoryHarness(tracks(40));
  close = () => history.live.close();
  const first = await loadAll(history.reader);
  const cost = await history.reader.cost(historyQuery(), 'alice');
  expect(cost.middle).toMatchObject({ expected: 0, max_requests: 0 });
  const second = await loadAll(history.reader, historyQuery({ maxRequests: 0 }));
  expect(second.adsb).toMatchObject({ complete: true, records: first.adsb?.records, requests: 0 });
  expect(second.minutes).toBe('c'.repeat(60));
});
