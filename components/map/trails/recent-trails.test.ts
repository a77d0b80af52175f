import { describe, expect, test } from 'vitest';
import { RECENT_TRAIL_LIMITS } from '#lib/client/replay/recent-trail-limits.ts';
import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { HOUR, storeWith } from './kept-store.fixture.ts';
import { RecentTrails } from './recent-trails.ts';
import { drawnLines } from './trail-lines.fixture.ts';

const aircraft: ReadonlySet<TrackKind> = new Set(['aircraft']);
const every = (seconds: number, from = 0, to = 3600) =>
  Array.from({ length: Math.ceil((to - from) / seconds) }, (_, index) => from + index * seconds);

/** Each test goes on with the clock that the others left. */
let clockMs = 0;
function later(byMs: number): number {
  clockMs += byMs;
  return clockMs;
}

/** Updates until nothing is pending, half a second apart. @returns the updates that it took */
function settle(trails: RecentTrails, store: ReplayStore, atSecond: number, kinds = aircraft): number {
  let updates = 1;
  while (trails.update(store, kinds, epochMs(HOUR.start) + atSecond * 1000, later(500)).pending) updates++;
  return updates;
}

/** The ends of the lines that are shown at a moment, in seconds of the hour. */
function shownAt(trails: RecentTrails, atSecond: number): number[] {
  const atMs = epochMs(HOUR.start) + atSecond * 1000;
  return drawnLines(trails.lines)
    .filter(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs)
    .map(({ fromMs }) => (fromMs - epochMs(HOUR.start)) / 1000)
    .sort((a, b) => a - b);
}

describe('RecentTrails', () => {
  test('shows the lines between positions of the last five minutes up to the cursor, wherever it is', () => {
    const store = storeWith([{ ref: 'RX-A-1', atSeconds: every(10) }]);
    const trails = new RecentTrails();
    for (const cursor of [1800, 1795, 3600, 5, 301]) {
      settle(trails, store, cursor);
      // A line needs both of its ends.
      expect(shownAt(trails, cursor)).toEqual(every(10, 10).filter((at) => at - 10 > cursor - 300 && at <= cursor));
    }
  });

  test('playing on for a minute needs nothing new, and before they run out the next ones are made', () => {
    const store = storeWith([{ ref: 'RX-A-1', atSeconds: every(10) }]);
    const trails = new RecentTrails();
    settle(trails, store, 600);
    const update = (second: number) => trails.update(store, aircraft, epochMs(HOUR.start) + second * 1000, later(1000));
    for (let second = 600; second <= 660; second++) expect(update(second)).toEqual({ changed: false, pending: false });
    expect(shownAt(trails, 660).at(-1)).toBe(660);
    expect(update(661).changed).toBe(true);
    expect(shownAt(trails, 661)).toEqual(every(10, 380, 661));
  });

  test('a trail leaves with its mark, and does not come back with it', () => {
    // Two minutes after its last position an aircraft's mark is removed.
    const store = storeWith([{ ref: 'RX-A-1', atSeconds: [1000, 1010, 1020, 1150, 1160] }]);
    const trails = new RecentTrails();
    settle(trails, store, 1100);
    expect(shownAt(trails, 1139)).toEqual([1010, 1020]);
    expect(shownAt(trails, 1140)).toEqual([]);
    settle(trails, store, 1160);
    expect(shownAt(trails, 1160)).toEqual([1160]);
  });

  test('what came in, and layers that were switched, are taken in', () => {
    const store = storeWith([{ ref: 'RX-A-1', atSeconds: [1000, 1010] }]);
    const trails = new RecentTrails();
    settle(trails, store, 1020);
    storeWith([{ ref: 'RX-A-1', atSeconds: [1015] }], store);
    settle(trails, store, 1020);
    expect(shownAt(trails, 1020)).toEqual([1010, 1015]);
    settle(trails, store, 1020, new Set(['drone']));
    expect(shownAt(trails, 1020)).toEqual([]);
  });

  test('they are begun twice a second at most, and one update takes a part of many tracks only', () => {
    const store = storeWith(
      Array.from({ length: 100 }, (_, track) => ({ ref: `RX-A-${track}`, atSeconds: every(1, 600, 900) })),
    );
    const trails = new RecentTrails();
    expect(settle(trails, store, 1000)).toBeGreaterThan(2);
    const nowMs = later(500);
    const again = (second: number, passedMs: number) =>
      trails.update(store, aircraft, epochMs(HOUR.start) + second * 1000, nowMs + passedMs);
    expect(again(800, 0)).toEqual({ changed: false, pending: true });
    let passedMs = 0;
    while (!again(800, passedMs).changed) passedMs += 16;
    // Right for 800, and asked for elsewhere less than half a second after it was begun.
    expect(passedMs).toBeLessThan(400);
    expect(again(600, passedMs + 16)).toEqual({ changed: false, pending: true });
    expect(again(600, 499)).toEqual({ changed: false, pending: true });
    expect(again(600, 500).pending).toBe(true);
  });

  test('where too much was received, all trails are shorter: none is left out', () => {
    const tracks = 300;
    const store = storeWith(
      Array.from({ length: tracks }, (_, track) => ({ ref: `RX-A-${track}`, atSeconds: every(0.5, 600, 1000.5) })),
    );
    const trails = new RecentTrails();
    settle(trails, store, 900);
    expect(trails.lines.count).toBeLessThanOrEqual(RECENT_TRAIL_LIMITS.maxPositions);
    const shown = shownAt(trails, 900);
    expect(shown.filter((at) => at === 900).length).toBe(tracks);
    expect(shown[0]).toBeGreaterThan(700);
    expect(shown.length % tracks).toBe(0);
  });
});
