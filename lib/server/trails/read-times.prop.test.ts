import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { areaOf } from '../live/snapshots.ts';
import { ReadTimes } from './trail-store.ts';

const KEPT_MS = 15 * MINUTE_MS;
const PAUSE_MS = 3 * MINUTE_MS;
const START = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const NOW_S = 1200;

/** On whole degrees, so that the middle of each degree says everything. */
const box = fc
  .tuple(fc.nat(3), fc.nat(3), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }))
  .map(([west, south, width, height]) => ({ west, south, east: west + width, north: south + height }));
const reads = fc
  .array(fc.record({ box, atS: fc.nat(NOW_S), everyS: fc.integer({ min: 5, max: 400 }), times: fc.nat(30) }), {
    maxLength: 8,
  })
  .map((all) =>
    all
      .flatMap(({ box: bbox, atS, everyS, times }) =>
        Array.from({ length: times }, (_, index) => ({ bbox, atS: atS + index * everyS })),
      )
      .filter(({ atS }) => atS <= NOW_S)
      .sort((a, b) => a.atS - b.atS),
  );

const UNIT_BOX = { west: 0, south: 0, east: 1, north: 1 };
const readAt = (atS: number) => ({ bbox: UNIT_BOX, atS });

describe('since when a box is followed', () => {
  test('every place of it was read at least every three minutes from then on, and not before', () => {
    fc.assert(
      fc.property(reads, box, (all, wanted) => {
        const times = new ReadTimes(KEPT_MS);
        for (const { bbox, atS } of all) times.read(areaOf('adsb', bbox), addMs(START, atS * 1000));
        const now = addMs(START, NOW_S * 1000);
        const since = times.since('adsb', [wanted], now);
        const sinceS = since === undefined ? Number.POSITIVE_INFINITY : (epochMs(since) - epochMs(START)) / 1000;
        expect(sinceS).toBe(followedSinceS(all, wanted));
        expect(times.since('rid', [wanted], now)).toBeUndefined();
      }),
      { examples: [[[readAt(NOW_S - PAUSE_MS / 1000)], UNIT_BOX]] },
    );
  });

  test('where something was missed, all of it is known from then on at the earliest; elsewhere it is as before', () => {
    const misses = fc.array(fc.record({ box, atS: fc.nat(NOW_S), isOther: fc.boolean() }), { maxLength: 4 });
    fc.assert(
      fc.property(reads, box, misses, (all, wanted, missed) => {
        const times = new ReadTimes(KEPT_MS);
        for (const { bbox, atS } of all) times.read(areaOf('adsb', bbox), addMs(START, atS * 1000));
        for (const { box: bbox, atS, isOther } of missed)
          times.missed(areaOf(isOther ? 'rid' : 'adsb', bbox), addMs(START, atS * 1000));
        const since = times.since('adsb', [wanted], addMs(START, NOW_S * 1000));
        const over = missed.filter(
          ({ box: { west, south, east, north }, isOther }) =>
            !isOther && west < wanted.east && wanted.west < east && south < wanted.north && wanted.south < north,
        );
        const expectedS = Math.max(followedSinceS(all, wanted), ...over.map(({ atS }) => atS));
        expect(since === undefined ? Number.POSITIVE_INFINITY : (epochMs(since) - epochMs(START)) / 1000).toBe(
          expectedS,
        );
      }),
    );
  });
});

type Reads = readonly { readonly bbox: { west: number; south: number; east: number; north: number }; atS: number }[];

/** By degree, at every second and between them: reads are at whole seconds. */
function followedSinceS(all: Reads, wanted: Reads[number]['bbox']): number {
  const oldestS = NOW_S - KEPT_MS / 1000;
  let since = Number.POSITIVE_INFINITY;
  const cells: (readonly number[])[] = [];
  for (let lon = wanted.west; lon < wanted.east; lon++) {
    for (let lat = wanted.south; lat < wanted.north; lat++) {
      const over = all.filter(({ bbox: { west, south, east, north } }) => {
        return west <= lon && lon < east && south <= lat && lat < north;
      });
      cells.push(over.map(({ atS }) => atS));
    }
  }
  for (let second = NOW_S; second >= oldestS; second -= 0.5) {
    const isFollowed = cells.every((readS) => readS.some((atS) => atS <= second && second <= atS + PAUSE_MS / 1000));
    if (!isFollowed) return since;
    since = second;
  }
  return since;
}
