import { afterEach, expect, test } from 'vitest';
import { NO_FILTER } from '#lib/filter/track-filter.ts';
import { listedSource } from '#service/conformance/listed-source.ts';
import { historyQuery, startHistoryHarness, tracks } from '#testing/history-harness.ts';
import { startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';
import { liveItems, pastItems } from './export-items.ts';
import { EXPORT_WRITERS } from './export-writers.ts';

let close = async () => {};
afterEach(() => close());

test('An export of the past gives what has come while the rest of its window is still being requested', async () => {
  const observations = tracks(10);
  const { live, reader, requests } = await startHistoryHarness(observations);
  close = () => live.close();
  const query = historyQuery();
  const items = pastItems(reader.load(query, 'alice', new AbortController().signal), {
    bbox: query.bbox,
    filter: NO_FILTER,
  });
  const first = await items.next();
  const requestsByThen = requests();
  expect(first.value).toMatchObject({ kind: 'positions', layer: 'adsb', complete: true });
  let records = first.value?.kind === 'positions' ? first.value.records.length : 0;
  expect(records).toBeGreaterThan(0);
  for await (const item of items) if (item.kind === 'positions') records += item.records.length;
  expect(records).toBe(observations.length);
  expect(requests()).toBeGreaterThan(requestsByThen + 3);
});

test('An export of a night without a receiver names the night, in every format', async () => {
  const { live, reader } = await startHistoryHarness([], {
    source: {
      ...listedSource(tracks(5)),
      pastReception: (_layer, _bbox, { start: from, end: to }) => [{ from, to, state: 'lost' }],
    },
  });
  close = () => live.close();
  const query = historyQuery();
  const items = await Array.fromAsync(
    pastItems(reader.load(query, 'alice', new AbortController().signal), { bbox: query.bbox, filter: NO_FILTER }),
  );
  const window = { start: '2026-11-21T10:00:00.000Z', end: '2026-11-21T11:00:00.000Z' };
  const gaps = items.filter(({ kind }) => kind === 'gap');
  expect(gaps).toEqual([{ kind: 'gap', layer: 'adsb', bbox: query.bbox, window, reason: 'receivers_lost' }]);
  for (const makeWriter of Object.values(EXPORT_WRITERS)) {
    const writer = makeWriter();
    const text = gaps.map((item) => writer.item(item)).join('');
    for (const part of ['receivers_lost', window.start, window.end]) expect(text).toContain(part);
  }
});

test('An export of a past with unreadable records names the gap', async () => {
  const { live, reader } = await startHistoryHarness(tracks(5));
  close = () => live.close();
  live.service.setFault({ kind: 'bad_record', count: null });
  const query = historyQuery();
  const items = await Array.fromAsync(
    pastItems(reader.load(query, 'alice', new AbortController().signal), { bbox: query.bbox, filter: NO_FILTER }),
  );
  const reasons = items.flatMap((item) => (item.kind === 'gap' ? [item.reason] : []));
  expect(new Set(reasons)).toEqual(new Set(['answer_unreadable']));
});

test.each([
  ['lost', 'receivers_lost', 20],
  ['partly', 'receivers_partly', 20],
  ['none', 'not_equipped', 20],
  ['lost', 'receivers_lost', 0],
  ['none', 'not_equipped', 0],
] as const)(
  'A live export of a layer whose reception is %s has a gap %s, with %i tracks',
  async (state, reason, count) => {
    const reception = () => ({ state, since: undefined, receivers: 3, receiving: 0 });
    const live = await startLiveHarness({ source: { ...steadyTraffic(count), reception } });
    close = () => live.close();
    const bbox = { west: 8, south: 47, east: 9, north: 48 };
    const items = [...liveItems(await live.read(bbox, ['adsb']), { bbox, filter: NO_FILTER })];
    expect(items.filter(({ kind }) => kind === 'gap')).toEqual([
      { kind: 'gap', layer: 'adsb', bbox, window: undefined, reason },
    ]);
  },
);
