import { afterEach, expect, test } from 'vitest';
import { addMs } from '#lib/time/instant.ts';
import { HOUR, historyQuery, loadAll, startHistoryHarness, tracks } from '#testing/history-harness.ts';

let close = async () => {};
afterEach(() => close());

test('cached parts are announced even where no request is allowed', async () => {
  const history = await startHistoryHarness(tracks(4));
  close = () => history.live.close();
  const first = await loadAll(history.reader);
  const cost = await history.reader.cost(historyQuery(), 'alice');
  expect(cost.middle).toMatchObject({ expected: 0, max_requests: 0 });
  const second = await loadAll(history.reader, historyQuery({ maxRequests: 0 }));
  expect(second.adsb).toMatchObject({ complete: true, records: first.adsb?.records, requests: 0 });
  expect(second.minutes).toBe('c'.repeat(60));
});

test('cached parts are shown at once, even while requests are blocked', async () => {
  const history = await startHistoryHarness(tracks(4));
  close = () => history.live.close();
  const first = await loadAll(history.reader);
  history.live.service.setFault({ kind: 'status', status: 429, retry_after: '100' });
  const bbox = { west: 9, south: 47, east: 10, north: 48 };
  const paying = history.reader.load(historyQuery({ bbox }), 'alice', new AbortController().signal);
  for await (const event of paying)
    if (event.kind === 'line' && event.line.type === 'progress' && event.line.paused) break;
  const before = history.live.now();
  const { adsb } = await loadAll(history.reader, historyQuery({ maxRequests: 0 }), 'wall');
  expect(adsb).toMatchObject({ complete: true, requests: 0, records: first.adsb?.records });
  expect(history.live.now()).toBe(before);
});

test('the limit of a quote suffices where little of the window is cached, and nothing is watched live', async () => {
  const history = await startHistoryHarness(tracks(40));
  close = () => history.live.close();
  await loadAll(history.reader, historyQuery({ window: { start: addMs(HOUR.end, -5 * 60_000), end: HOUR.end } }));
  const { middle } = await history.reader.cost(historyQuery(), 'alice');
  const { adsb } = await loadAll(history.reader, historyQuery({ maxRequests: middle.max_requests }));
  expect(adsb).toMatchObject({ complete: true });
});
