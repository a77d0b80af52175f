import { afterEach, expect, test } from 'vitest';
import { addMs } from '#lib/time/instant.ts';
import {
  type HistoryHarness,
  HOUR,
  historyQuery,
  loadAll,
  startHistoryHarness,
  tracks,
} from '#testing/history-harness.ts';

let history: HistoryHarness;
afterEach(() => history.live.close());

/** Of a day of 100 requests, 30 are for the past. */
const start = async () => {
  history = await startHistoryHarness(tracks(20), { allowance: { perMinute: 600, perDay: 100 }, hasSignIn: true });
};
const hoursAgo = (hours: number) =>
  historyQuery({ window: { start: addMs(HOUR.start, -hours * 3_600_000), end: addMs(HOUR.end, -hours * 3_600_000) } });
const left = async (operator: string) => (await history.reader.cost(historyQuery(), operator)).left;
const reasons = ({ adsb }: Awaited<ReturnType<typeof loadAll>>) => new Set(adsb?.gaps.map(({ reason }) => reason));

test('An operator who loads as much as possible leaves the others their part, gets the reason, and sees their loads', async () => {
  await start();
  const first = await loadAll(history.reader, hoursAgo(5), 'alice');
  expect(await left('alice'), 'half of the day is over, so a third is kept for others').toBe(
    20 - (first.adsb?.requests ?? 0),
  );
  let ended = new Set<string>();
  for (let hours = 6; !ended.has('share_used_up'); hours++)
    ended = reasons(await loadAll(history.reader, hoursAgo(hours), 'alice'));
  expect(history.requests()).toBe(20);
  expect(await left('alice')).toBe(0);
  expect(await left('bob')).toBe(7);

  expect((await loadAll(history.reader, hoursAgo(100), 'bob')).adsb).toMatchObject({ complete: true });
  const cached = await loadAll(history.reader, hoursAgo(100), 'alice');
  expect(cached.adsb, 'what a colleague loaded costs nothing').toMatchObject({ complete: true, requests: 0 });
  expect(reasons(await loadAll(history.reader, hoursAgo(101), 'alice'))).toEqual(new Set(['share_used_up']));
  expect((await history.live.read()).layers.adsb?.reason, 'live views go on').toBeNull();
});

test('A request in flight is shared, and whose share is used up does not fail it for the one who joined', async () => {
  await start();
  await loadAll(history.reader, hoursAgo(5), 'alice');
  for (let hours = 6; (await left('alice')) !== 0; hours++) await loadAll(history.reader, hoursAgo(hours), 'alice');
  const before = history.requests();
  const [alice, bob] = await Promise.all([
    loadAll(history.reader, hoursAgo(50), 'alice'),
    loadAll(history.reader, hoursAgo(50), 'bob'),
  ]);
  expect(bob.adsb).toMatchObject({ complete: true, requests: history.requests() - before });
  expect(reasons(alice)).toEqual(new Set(['share_used_up']));
});
