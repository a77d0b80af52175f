import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { METRE_STEPS, toUnits } from '#lib/codec/steps.ts';
import { bboxContains } from '#lib/geo/bbox.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { RECENT_LIMITS, RecentPositions } from './recent-positions.ts';
import { findPlaces } from './trails-reader.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const KEPT_MS = 60_000;
const LAYERS = ['rid', 'adsb'] as const;
const EVERYWHERE = { west: -180, south: -90, east: 180, north: 90 };

const position = fc.record({
  ref: fc.nat(6).map((track) => `RX-A-${track}`),
  /** Before the time at which it is read. */
  agoMs: fc.oneof(
    { weight: 6, arbitrary: fc.nat(20_000) },
    { weight: 1, arbitrary: fc.integer({ min: -9e4, max: 9e4 }) },
  ),
  lon: fc.oneof(fc.integer({ min: -20, max: 20 }), fc.constantFrom(-180, 180)),
  lat: fc.oneof(fc.integer({ min: -20, max: 20 }), fc.constantFrom(-90, 90)),
  altitudeM: fc.option(fc.integer({ min: -100, max: 12_000 }), { nil: undefined }),
});
const snapshots = fc.array(
  fc.record({
    layer: fc.constantFrom(...LAYERS),
    afterMs: fc.nat(25_000),
    positions: fc.array(position, { maxLength: 12 }),
    again: fc.boolean(),
  }),
  { maxLength: 25 },
);
const box = fc
  .tuple(fc.integer({ min: -21, max: 20 }), fc.integer({ min: -21, max: 20 }), fc.nat(30), fc.nat(30))
  .map(([west, south, width, height]) => ({ west, south, east: west + width, north: south + height }));
const boxes = fc.oneof(
  fc.array(box, { minLength: 1, maxLength: 2 }),
  fc.constantFrom([EVERYWHERE], [{ ...EVERYWHERE, west: 170 }], [{ ...EVERYWHERE, east: -170 }]),
);

interface Received {
  readonly layer: (typeof LAYERS)[number];
  readonly ref: string;
  readonly atMs: number;
  readonly lon: number;
  readonly lat: number;
  readonly metres: number | null;
}

/** `list`: what should be in the store. `every`: also contradicting positions of the same track and time. */
function received(all: typeof snapshots extends fc.Arbitrary<infer Value> ? Value : never, limits = {}) {
  const store = new RecentPositions({ ...RECENT_LIMITS, keptMs: KEPT_MS, ...limits });
  const list: Received[] = [];
  const every: Received[] = [];
  let now = START;
  let before: Position[] = [];
  for (const { layer, afterMs, positions, again } of all) {
    now = addMs(now, afterMs);
    const read = positions.map(
      ({ ref, agoMs, lon, lat, altitudeM }): Position => ({
        ...plainPosition,
        ref,
        observedAt: addMs(now, -agoMs),
        lon,
        lat,
        altitudeM: layer === 'adsb' ? altitudeM : 1,
        heightAglM: layer === 'rid' ? altitudeM : 1,
      }),
    );
    if (again) read.push(...before);
    before = read;
    store.add(layer, read, now);
    for (const { ref, observedAt, lon, lat, altitudeM, heightAglM } of read) {
      const atMs = epochMs(observedAt);
      if (atMs <= epochMs(now) - KEPT_MS || atMs > epochMs(now) + 60_000) continue;
      const each = { layer, ref, atMs, lon, lat, metres: (layer === 'rid' ? heightAglM : altitudeM) ?? null };
      every.push(each);
      if (list.some((known) => known.layer === layer && known.ref === ref && known.atMs === atMs)) continue;
      list.push(each);
    }
  }
  return { store, list, every, nowMs: epochMs(now) };
}

async function found(
  store: RecentPositions,
  nowMs: number,
  where: Parameters<typeof findPlaces>[1]['boxes'],
  limit: number,
) {
  const places: Received[] = [];
  let afterMs = nowMs - KEPT_MS;
  for (const layer of LAYERS) {
    const wanted = { layer, boxes: where, afterMs: nowMs - KEPT_MS, nowMs, limit };
    const { trails, afterMs: foundAfterMs } = await findPlaces(store, wanted);
    afterMs = Math.max(afterMs, foundAfterMs);
    for (const [track, ref] of trails.refs.entries()) {
      for (let index = trails.starts[track] as number; index < (trails.starts[track + 1] as number); index++) {
        const metres = toUnits(trails.height[index] as number, METRE_STEPS);
        places.push({
          layer,
          ref,
          atMs: trails.atMs[index] as number,
          lon: (trails.lon[index] as number) / 1e6,
          lat: (trails.lat[index] as number) / 1e6,
          metres: Number.isNaN(metres) ? null : metres,
        });
      }
    }
  }
  return { places, afterMs };
}

const inOrder = (all: readonly Received[]) =>
  all.toSorted(
    (a, b) => Number(a.layer > b.layer) - Number(a.layer < b.layer) || a.ref.localeCompare(b.ref) || a.atMs - b.atMs,
  );

describe('recent positions', () => {
  test('are those that were received within the time, each once, in order of time, in the boxes alone', async () => {
    await fc.assert(
      fc.asyncProperty(snapshots, boxes, async (all, where) => {
        const { store, list, nowMs } = received(all);
        const { places } = await found(store, nowMs, where, Number.POSITIVE_INFINITY);
        const expected = list.filter(
          ({ atMs, lon, lat }) => atMs > nowMs - KEPT_MS && where.some((each) => bboxContains(each, lon, lat)),
        );
        expect(inOrder(places)).toEqual(inOrder(expected));
        for (const [index, { ref, layer, atMs }] of places.entries()) {
          const next = places[index + 1];
          if (next?.ref === ref && next.layer === layer) expect(next.atMs).toBeGreaterThan(atMs);
        }
      }),
    );
  });

  test('that do not fit into memory are dropped, oldest first, and it is known until when', async () => {
    await fc.assert(
      fc.asyncProperty(
        snapshots,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 4 }),
        async (all, maxBlocks, maxTracks) => {
          const { store, list, every, nowMs } = received(all, { maxBlocks, maxTracks });
          const { places } = await found(store, nowMs, [EVERYWHERE], Number.POSITIVE_INFINITY);
          const known = new Set(every.map((each) => JSON.stringify(each)));
          // A dropped or skipped position may be received again.
          expect(places.filter((each) => !known.has(JSON.stringify(each)))).toEqual([]);
          const later = (each: Received) => each.atMs > Math.max(store.droppedUntilMs, nowMs - KEPT_MS);
          expect(inOrder(places.filter(later))).toEqual(inOrder(list.filter(later)));
        },
      ),
    );
  });

  test('that are too many for an answer are cut at one time for all tracks', async () => {
    await fc.assert(
      fc.asyncProperty(snapshots, fc.nat(20), async (all, limit) => {
        const { store, list, nowMs } = received(all);
        const wanted = { layer: 'adsb', boxes: [EVERYWHERE], afterMs: nowMs - KEPT_MS, nowMs, limit } as const;
        const { trails, afterMs } = await findPlaces(store, wanted);
        const ours = list.flatMap(({ layer, atMs }) => (layer === 'adsb' && atMs > nowMs - KEPT_MS ? [atMs] : []));
        expect([...trails.atMs].sort()).toEqual(ours.filter((atMs) => atMs > afterMs).sort());
        if (ours.length <= limit && store.tracks('adsb').length === 0) expect(afterMs).toBe(nowMs - KEPT_MS);
      }),
    );
  });

  test('that are too many for an answer fill it nearly', async () => {
    const store = new RecentPositions();
    const now = addMs(START, 900_000);
    for (let second = 0; second < 900; second += 5) {
      const at = addMs(START, second * 1000);
      const positions = Array.from({ length: 50 }, (_, track) => ({
        ...plainPosition,
        ref: `RX-A-${track}`,
        observedAt: addMs(at, -track),
      }));
      store.add('adsb', positions, at);
    }
    for (const limit of [500, 2000, 8000, 9000]) {
      const wanted = {
        layer: 'adsb',
        boxes: [EVERYWHERE],
        afterMs: epochMs(START) - 1000,
        nowMs: epochMs(now),
        limit,
      } as const;
      const { trails } = await findPlaces(store, wanted);
      expect(trails.refs).toHaveLength(50);
      expect(trails.atMs.length).toBeGreaterThan(limit * 0.85);
      expect(trails.atMs.length).toBeLessThan(limit * 1.15);
    }
  });
});

describe('memory', () => {
  test('is given back when everything in it is too old', () => {
    const store = new RecentPositions();
    const at = (minute: number) => addMs(START, minute * 60_000);
    expect(store.memoryBytes).toBe(0);
    store.add('adsb', [{ ...plainPosition, ref: 'RX-A-1', observedAt: START }], START);
    expect(store.tracks('adsb').map(({ ref }) => ref)).toEqual(['RX-A-1']);
    store.add('adsb', [], at(14));
    expect(store.tracks('adsb')).toHaveLength(1);
    expect(store.memoryBytes).toBeGreaterThan(1024 * 1024);
    store.add('adsb', [], at(15));
    expect(store.tracks('adsb')).toEqual([]);
    expect(store.memoryBytes).toBe(0);
    store.add('adsb', [{ ...plainPosition, ref: 'RX-A-2', observedAt: at(16) }], at(16));
    expect(store.tracks('adsb').map(({ ref }) => ref)).toEqual(['RX-A-2']);
    expect(store.droppedUntilMs).toBe(Number.NEGATIVE_INFINITY);
  });
});
