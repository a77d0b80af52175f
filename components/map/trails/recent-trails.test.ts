import { describe, expect, test } from 'vitest';
import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { RECENT_TRAIL_LIMITS } from '#lib/client/trails/trail-limits.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { RecentTrails } from './replay-trails.ts';
import { HOUR, storeWith } from './track-store.fixture.ts';
import { drawnLines } from './trail-lines.fixture.ts';

const aircraft: ReadonlySet<TrackKind> = new Set(['aircraft']);
const every = (seconds: number, from = 0, to = 3600) =>
  Array.from({ length: Math.ceil((to - from) / seconds) }, (_, index) => from + index * seconds);

/** Shared by all tests, and never set back. */
let clockMs = 0;
function later(byMs: number): number {
  clockMs += byMs;
  return clockMs;
}

function settle(
  trails: RecentTrails,
  store: ReplayStore,
  atSecond: number,
  kinds = aircraft,
  hidden?: ReadonlySet<number>,
): number {
  let updates = 1;
  while (trails.update(store, { kinds, hidden }, epochMs(HOUR.start) + atSecond * 1000, later(500)).pending) updates++;
  return updates;
}

function shownAt(trails: RecentTrails, atSecond: number): number[] {
  const atMs = epochMs(HOUR.start) + atSecond * 1000;
  return drawnLines(trails.lines)
    .filter(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs)
    .map(({ fromMs }) => (fromMs - epochMs(HOUR.start)) / 1000)
    .sort((a, b) => a - b);
}

describe('RecentTrails', () => {
  test('shows the lines between positions of the five minutes up to the cursor, wherever it is', () => {
    const store = storeWith([{ ref: 'RX-A-1', atSeconds: every(10) }]);
    const trails = new RecentTrails();
    for (const cursor of [1800, 1795, 3600, 5, 301]) {
      settle(trails, store, cursor);
      expect(shownAt(trails, cursor)).toEqual(every(10, 10).filter((at) => at - 10 > cursor - 300 && at <= cursor));
    }
  });

  test('needs no new lines for a minute of playback, and makes the next ones before these run out', () => {
    const store = storeWith([{ ref: 'RX-A-1', atSeconds: every(10) }]);
    const trails = new RecentTrails();
    settle(trails, store, 600);
    const update = (second: number) =>
      trails.update(store, { kinds: aircraft }, epochMs(HOUR.start) + second * 1000, later(1000));
    for (let second = 600; second <= 660; second++) expect(update(second)).toEqual({ changed: false, pending: false });
    expect(shownAt(trails, 660).at(-1)).toBe(660);
    expect(update(661).changed).toBe(true);
    expect(shownAt(trails, 661)).toEqual(every(10, 380, 661));
  });

  test('a faster replay has lines for its next half second', () => {
    const trails = new RecentTrails();
    const store = storeWith([{ ref: 'RX-A-1', atSeconds: every(10) }]);
    const update = (second: number) =>
      trails.update(store, { kinds: aircraft, speed: 600 }, epochMs(HOUR.start) + second * 1000, later(1000));
    while (update(600).pending);
    for (let second = 600; second <= 900; second += 10) expect(update(second).changed).toBe(false);
    expect(update(901).changed).toBe(true);
  });

  test('a trail goes with its mark, and does not come back with it', () => {
    const store = storeWith([{ ref: 'RX-A-1', atSeconds: [1000, 1010, 1020, 1150, 1160] }]);
    const trails = new RecentTrails();
    settle(trails, store, 1100);
    expect(shownAt(trails, 1139)).toEqual([1010, 1020]);
    expect(shownAt(trails, 1140)).toEqual([]);
    settle(trails, store, 1160);
    expect(shownAt(trails, 1160)).toEqual([1160]);
  });

  test('new observations and switched layers are applied', () => {
    const store = storeWith([{ ref: 'RX-A-1', atSeconds: [1000, 1010] }]);
    const trails = new RecentTrails();
    settle(trails, store, 1020);
    storeWith([{ ref: 'RX-A-1', atSeconds: [1015] }], store);
    settle(trails, store, 1020);
    expect(shownAt(trails, 1020)).toEqual([1010, 1015]);
    settle(trails, store, 1020, new Set(['drone']));
    expect(shownAt(trails, 1020)).toEqual([]);
  });

  test('a track whose mark a filter hides has no trail, until the filter shows it again', () => {
    const store = storeWith([
      { ref: 'RX-A-1', atSeconds: [1000, 1010] },
      { ref: 'RX-A-2', atSeconds: [1003, 1013] },
    ]);
    const trails = new RecentTrails();
    settle(trails, store, 1020, aircraft, new Set([0]));
    expect(shownAt(trails, 1020)).toEqual([1013]);
    settle(trails, store, 1020);
    expect(shownAt(trails, 1020)).toEqual([1010, 1013]);
  });

  test('starts at most twice a second, and one update handles only some of many tracks', () => {
    const store = storeWith(
      Array.from({ length: 100 }, (_, track) => ({ ref: `RX-A-${track}`, atSeconds: every(1, 600, 900) })),
    );
    const trails = new RecentTrails();
    expect(settle(trails, store, 1000)).toBeGreaterThan(2);
    const nowMs = later(500);
    const again = (second: number, passedMs: number) =>
      trails.update(store, { kinds: aircraft }, epochMs(HOUR.start) + second * 1000, nowMs + passedMs);
    expect(again(800, 0)).toEqual({ changed: false, pending: true });
    let passedMs = 0;
    while (!again(800, passedMs).changed) passedMs += 16;
    expect(passedMs).toBeLessThan(400);
    expect(again(600, passedMs + 16)).toEqual({ changed: false, pending: true });
    expect(again(600, 499)).toEqual({ changed: false, pending: true });
    expect(again(600, 500).pending).toBe(true);
  });

  test('shortens all trails when there are too many positions, and leaves none out', () => {
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
