import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longitude } from '../geo/arbitrary-bbox.fixture.ts';
import { Trail, type TrailLimits } from './trail.ts';
import { dottedConnectors, solidLines } from './trail-lines.fixture.ts';

const limits: TrailLimits = { solidMs: 10_000, dottedMs: 60_000 };
interface Received {
  readonly gapMs: number;
  readonly lon: number;
}
const gap = fc.constantFrom(1, 5000, 9999, 10_000, 10_001, 40_000, 60_000, 60_001, 3_600_000);
const received = fc.record({ gapMs: gap, lon: longitude });
const tracks = fc.array(fc.array(received, { maxLength: 30 }), { maxLength: 6 });

/** Each position has a unique latitude, which identifies it. */
function trailOf(list: readonly (readonly Received[])[], trail = new Trail()) {
  const positions: { track: number; atMs: number; lon: number; lat: number }[] = [];
  for (const [track, points] of list.entries()) {
    trail.beginTrack(limits);
    let atMs = 0;
    for (const { gapMs, lon } of points) {
      atMs += gapMs;
      const lat = positions.length / 1000;
      positions.push({ track, atMs, lon, lat });
      trail.add(atMs, lon, lat);
    }
  }
  return { trail, positions };
}
const pairsIn = (lines: readonly (readonly [number, number])[][]) =>
  lines.flatMap((line) => line.slice(1).map((to, index) => [line[index]?.[1], to[1]]));

describe('Trail', () => {
  test('joins exactly the consecutive positions of a track that are close enough in time', () => {
    fc.assert(
      fc.property(tracks, (list) => {
        const { trail, positions } = trailOf(list);
        const neighbours = positions.slice(1).flatMap((to, index) => {
          const from = positions[index];
          return from?.track === to.track ? [{ gapMs: to.atMs - from.atMs, pair: [from.lat, to.lat] }] : [];
        });
        const within = (from: number, to: number) =>
          neighbours.filter(({ gapMs }) => gapMs > from && gapMs <= to).map(({ pair }) => pair);
        expect(pairsIn(solidLines(trail))).toEqual(within(0, limits.solidMs));
        expect(pairsIn(dottedConnectors(trail))).toEqual(within(limits.solidMs, limits.dottedMs));
      }),
    );
  });

  test('contains every received position exactly once, unmoved', () => {
    fc.assert(
      fc.property(tracks, (list) => {
        const { trail, positions } = trailOf(list);
        expect(trail.pointCount).toBe(positions.length);
        for (const [index, { lon, lat, atMs }] of positions.entries()) {
          expect(trail.coordinates[index * 2 + 1]).toBe(lat);
          expect(trail.observedAtMs[index]).toBe(atMs);
          const turns = ((trail.coordinates[index * 2] as number) - lon) / 360;
          expect(Math.abs(turns - Math.round(turns))).toBeLessThan(1e-9);
        }
      }),
    );
  });

  test('takes the short way around the Earth, also across 180°', () => {
    fc.assert(
      fc.property(tracks, (list) => {
        const { trail } = trailOf(list);
        for (const line of [...solidLines(trail), ...dottedConnectors(trail)]) {
          for (const [index, [lon]] of line.slice(1).entries()) {
            // Of two places half a turn apart, rounding decides which way is the shorter one.
            expect(Math.abs(lon - (line[index]?.[0] as number))).toBeLessThanOrEqual(180 + 1e-9);
          }
        }
      }),
    );
  });

  test('a cleared trail behaves like a new one', () => {
    fc.assert(
      fc.property(tracks, tracks, (before, after) => {
        const { trail } = trailOf(before);
        trail.clear();
        trailOf(after, trail);
        const { trail: fresh } = trailOf(after);
        expect([solidLines(trail), dottedConnectors(trail)]).toEqual([solidLines(fresh), dottedConnectors(fresh)]);
        expect(trail.pointCount).toBe(fresh.pointCount);
      }),
    );
  });
});
