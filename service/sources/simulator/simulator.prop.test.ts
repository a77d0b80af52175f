import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { windowContains } from '#lib/time/window.ts';
import { type Observation, ttlMs } from '../observation.ts';
import { makeSimulator } from './simulator.ts';

const OPTIONS = { seed: 21, aircraft: 60, drones: 20 };
const WORLD: Bbox = { west: -180, south: -90, east: 180, north: 90 };
const simulator = makeSimulator(OPTIONS);

const layer = fc.constantFrom(...LAYERS);
const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }).map(upstreamInstant);
const bbox = fc.constantFrom<Bbox>(
  WORLD,
  { west: 5.5, south: 45.5, east: 11, north: 48.5 },
  { west: 8.3, south: 47.2, east: 8.8, north: 47.6 },
  { west: 150, south: -30, east: 180, north: 0 },
  { west: -180, south: -30, east: -150, north: 0 },
  { west: -10, south: 60, east: 20, north: 90 },
);
const lengthMs = fc.integer({ min: 1, max: 300_000 });

describe('history', () => {
  it('returns observations of the layer in the box and the half-open window, sorted by time', () => {
    fc.assert(
      fc.property(layer, bbox, instant, lengthMs, (which, box, start, length) => {
        const window = { start, end: addMs(start, length) };
        const { observations, more } = simulator.history(which, box, window, Number.POSITIVE_INFINITY);
        expect(more).toBe(false);
        const wrong = observations.filter(
          ({ layer, observedAt, lon, lat }, index) =>
            layer !== which ||
            !windowContains(window, observedAt) ||
            !bboxContains(box, lon, lat) ||
            observedAt < (observations[index - 1]?.observedAt ?? start),
        );
        expect(wrong).toEqual([]);
      }),
    );
  });

  it('returns the earliest observations if there are more than the maximum, and says so', () => {
    fc.assert(
      fc.property(
        layer,
        bbox,
        instant,
        lengthMs,
        fc.integer({ min: 0, max: 300 }),
        (which, box, start, length, maxCount) => {
          const window = { start, end: addMs(start, length) };
          const all = simulator.history(which, box, window, Number.POSITIVE_INFINITY).observations;
          const some = simulator.history(which, box, window, maxCount);
          expect(some).toEqual({ observations: all.slice(0, maxCount), more: all.length > maxCount });
        },
      ),
    );
  });

  it('of a box equals the part of the history of the world that lies in it', () => {
    const anyBox = fc
      .tuple(fc.integer({ min: -180, max: 174 }), fc.integer({ min: -85, max: 84 }), fc.integer({ min: 1, max: 50 }))
      .map(([west, south, size]) => ({ west, south, east: west + size / 10, north: south + size / 10 }));
    const anyOrBusyBox = fc.oneof(bbox, bbox, anyBox);
    fc.assert(
      fc.property(layer, anyOrBusyBox, instant, fc.integer({ min: 1, max: 600_000 }), (which, box, start, length) => {
        const window = { start, end: addMs(start, length) };
        const historyIn = (box: Bbox) => simulator.history(which, box, window, Number.POSITIVE_INFINITY).observations;
        expect(historyIn(box)).toEqual(historyIn(WORLD).filter(({ lon, lat }) => bboxContains(box, lon, lat)));
      }),
      { numRuns: 20 },
    );
  });

  it('agrees with historyTimes', () => {
    const anyMax = fc.integer({ min: 0, max: 300 });
    fc.assert(
      fc.property(layer, bbox, instant, lengthMs, anyMax, (which, box, start, length, maxCount) => {
        const request = [which, box, { start, end: addMs(start, length) }, maxCount] as const;
        const times = simulator.history(...request).observations.map(({ observedAt }) => observedAt);
        expect(simulator.historyTimes?.(...request)).toEqual(times);
      }),
    );
  });

  it('of two adjoining windows equals that of the whole', () => {
    fc.assert(
      fc.property(layer, bbox, instant, lengthMs, lengthMs, (which, box, start, first, second) => {
        const historyBetween = (from: UpstreamInstant, to: UpstreamInstant) =>
          simulator.history(which, box, { start: from, end: to }, Number.POSITIVE_INFINITY).observations;
        const [middle, end] = [addMs(start, first), addMs(start, first + second)];
        expect([...historyBetween(start, middle), ...historyBetween(middle, end)]).toEqual(historyBetween(start, end));
      }),
      { numRuns: 40 },
    );
  });
});

describe('live', () => {
  it('is the latest observation in history of every track that has not expired and whose latest position is in the box', () => {
    fc.assert(
      fc.property(layer, bbox, instant, (which, box, now) => {
        const window = { start: addMs(now, 1 - ttlMs(which)), end: addMs(now, 1) };
        const latest = new Map<string, Observation>();
        for (const observation of simulator.history(which, WORLD, window, Number.POSITIVE_INFINITY).observations) {
          latest.set(observation.sourceId, observation);
        }
        const expected = [...latest.values()].filter(({ lon, lat }) => bboxContains(box, lon, lat));
        expect(bySource(simulator.live(which, box, now))).toEqual(bySource(expected));
      }),
    );
  });
});

describe('any answer', () => {
  it('depends on the seed and the request alone, not on earlier requests', () => {
    const request = fc.record({ which: layer, box: bbox, start: instant, length: lengthMs });
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 4 }), (requests) => {
        const answer = (source: typeof simulator, { which, box, start, length }: SourceRequest) => [
          source.live(which, box, start),
          source.history(which, box, { start, end: addMs(start, length) }, 500),
        ];
        const forwards = requests.map((each) => answer(simulator, each));
        const fresh = makeSimulator(OPTIONS);
        const backwards = requests.toReversed().map((each) => answer(fresh, each));
        expect(backwards.toReversed()).toEqual(forwards);
      }),
      { numRuns: 25 },
    );
  });

  it('differs for another seed', () => {
    const other = makeSimulator({ ...OPTIONS, seed: 22 });
    const now = upstreamInstant(Date.UTC(2026, 5, 1));
    expect(bySource(other.live('adsb', WORLD, now))).not.toEqual(bySource(simulator.live('adsb', WORLD, now)));
  });

  it('of a larger fleet contains that of a smaller one', () => {
    const larger = makeSimulator({ seed: OPTIONS.seed, aircraft: 90, drones: 35 });
    fc.assert(
      fc.property(layer, instant, (which, now) => {
        expect(larger.live(which, WORLD, now)).toEqual(expect.arrayContaining(simulator.live(which, WORLD, now)));
      }),
      { numRuns: 10 },
    );
  });
});

interface SourceRequest {
  readonly which: Layer;
  readonly box: Bbox;
  readonly start: UpstreamInstant;
  readonly length: number;
}

function bySource(observations: readonly Observation[]): Observation[] {
  return [...observations].sort((a, b) => a.sourceId.localeCompare(b.sourceId));
}
