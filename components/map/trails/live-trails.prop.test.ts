import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TrailPlaces } from '#lib/client/trails/trails-client.ts';
import { makeTrackColumns } from '#lib/picture/track-columns.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { LiveTrails } from './live-trails.ts';
import { drawnLines } from './trail-lines.fixture.ts';

const START_MS = Date.UTC(2026, 10, 21, 12);
const SPAN_MS = 900_000;
const { solidMs, dottedMs } = TRAIL_LIMITS.aircraft;

const track = fc.record({
  times: fc.uniqueArray(fc.nat(700), { minLength: 1, maxLength: 12 }).map((all) => all.sort((a, b) => a - b)),
  liveFrom: fc.nat(12),
});
const scene = fc.record({
  tracks: fc.array(track, { minLength: 1, maxLength: 5 }),
  loadedAfter: fc.nat(12),
  shows: fc.constantFrom('recent', 'path'),
});
type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never;

const placeOf = (index: number, second: number) => ({ x: (index + 1) / 16, y: (second + 1) / 1024 });

function loadedPlaces({ tracks }: Scene): TrailPlaces {
  const places = tracks.flatMap(({ times }, index) => times.map((second) => ({ ...placeOf(index, second), second })));
  let end = 0;
  return {
    refs: tracks.map((_, index) => `RX-A-${index}`),
    starts: Uint32Array.from([
      0,
      ...tracks.map(({ times }) => {
        end += times.length;
        return end;
      }),
    ]),
    atMs: Float64Array.from(places, ({ second }) => START_MS + second * 1000),
    mercatorX: Float64Array.from(places, ({ x }) => x),
    mercatorY: Float64Array.from(places, ({ y }) => y),
    metres: new Float64Array(places.length),
  };
}

function played(given: Scene, maxPositions = 1000) {
  const trails = new LiveTrails({ maxPositions, spanMs: SPAN_MS, shows: given.shows as 'recent' | 'path' });
  const columns = makeTrackColumns(8);
  columns.end = given.tracks.length;
  const store = { columns, refAt: (slot: number) => `RX-A-${slot}` };
  const slotOf = (ref: string) => Number(ref.slice(5));
  const isShown = new Uint8Array(8).fill(1);
  const follow = () =>
    trails.follow(
      store,
      () => true,
      (slot) => isShown[slot] === 1,
      START_MS + 700_000,
    );
  const seen = given.tracks.map(() => new Set<number>());
  for (let step = 0; step <= 12; step++) {
    for (const [index, { times, liveFrom }] of given.tracks.entries()) {
      const second = times[Math.min(times.length - 1, liveFrom + step)] as number;
      columns.used[index] = 1;
      columns.observedAtMs[index] = START_MS + second * 1000;
      columns.mercatorX[index] = placeOf(index, second).x;
      columns.mercatorY[index] = placeOf(index, second).y;
      (seen[index] as Set<number>).add(second);
    }
    follow();
    if (step === given.loadedAfter) trails.add(loadedPlaces(given), slotOf);
  }
  return { trails, follow, isShown, columns, slotOf };
}

function linesIn(trails: LiveTrails) {
  return drawnLines(trails.lines)
    .filter(({ shape, untilMs }) => shape !== 'dot' && untilMs > trails.lines.baseMs)
    .map(({ from, to, shape }) => [to.x * 16 - 1, Math.round(from.y * 1024) - 1, Math.round(to.y * 1024) - 1, shape])
    .sort(byText);
}

const byText = (a: unknown, b: unknown) => JSON.stringify(a).localeCompare(JSON.stringify(b));

function expectedLines({ tracks, shows }: Scene) {
  return tracks
    .flatMap(({ times }, index) => {
      const gapsMs = times.map((second, at) => (second - (times[at - 1] ?? second)) * 1000);
      const first = shows === 'recent' ? gapsMs.findLastIndex((gapMs) => gapMs > dottedMs) : 0;
      return times.flatMap((second, at) => {
        const gapMs = gapsMs[at] as number;
        if (at === 0 || at <= first || gapMs > dottedMs) return [];
        return [[index, times[at - 1] as number, second, gapMs <= solidMs ? 'solid' : 'dotted']];
      });
    })
    .sort(byText);
}

describe('live trails', () => {
  test('join what was loaded and what came since as in a replay, whenever it arrives: solid when close in time, dotted when not', () => {
    fc.assert(
      fc.property(scene, (given) => {
        const { trails } = played(given);
        expect(linesIn(trails)).toEqual(expectedLines(given));
        const joined = expectedLines(given);
        expect(trails.counts).toMatchObject({
          solid: joined.filter(([, , , shape]) => shape === 'solid').length,
          dotted: joined.filter(([, , , shape]) => shape === 'dotted').length,
        });
      }),
    );
  });

  test('are hidden with their marks, come back with them, and end with their tracks', () => {
    fc.assert(
      fc.property(scene, fc.nat(4), (given, which) => {
        const { trails, follow, isShown, columns } = played(given);
        const all = linesIn(trails);
        const others = all.filter(([index]) => index !== which);
        isShown[which] = 0;
        follow();
        expect(linesIn(trails)).toEqual(others);
        isShown[which] = 1;
        follow();
        expect(linesIn(trails)).toEqual(all);
        columns.used[which] = 0;
        follow();
        expect(linesIn(trails)).toEqual(others);
        trails.clear();
        expect(linesIn(trails)).toEqual([]);
        expect(trails.counts).toMatchObject({ solid: 0, dotted: 0 });
      }),
    );
  });

  test('never draw more than their limit, and only lines that were received', () => {
    fc.assert(
      fc.property(scene, fc.integer({ min: 1, max: 12 }), (given, maxPositions) => {
        const { trails } = played(given, maxPositions);
        expect(trails.lines.count).toBeLessThanOrEqual(2 * maxPositions);
        const known = new Set(given.tracks.flatMap(({ times }, index) => times.map((second) => `${index} ${second}`)));
        const ends = linesIn(trails).flatMap(([index, from, to]) => [`${index} ${from}`, `${index} ${to}`]);
        expect(ends.filter((end) => !known.has(end))).toEqual([]);
      }),
    );
  });

  test('note which lines changed, and no more', () => {
    const given = { tracks: [{ times: [0, 5, 10], liveFrom: 0 }], loadedAfter: 0, shows: 'recent' } as const;
    const { trails, follow, columns } = played(given as never);
    const changes: number[][] = [];
    const take = () => trails.lines.takeChanges((first, count) => changes.push([first, count]));
    take();
    changes.length = 0;
    expect(trails.takeChange()).toBe(true);
    follow();
    take();
    expect(trails.takeChange()).toBe(false);
    expect(changes).toEqual([]);
    columns.observedAtMs[0] = START_MS + 15_000;
    follow();
    take();
    expect(trails.takeChange()).toBe(true);
    expect(changes).toEqual([[0, trails.lines.count]]);
  });
});
