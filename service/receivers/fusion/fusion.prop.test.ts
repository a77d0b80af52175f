import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { destination, distanceM } from '#lib/geo/great-circle.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { Observation } from '../../sources/observation.ts';
import { type Fix, POSITION_ORIGINS } from '../fix.ts';
import { alongMs, at, feedOf, fixOf, keyOf, Picture, parsedOf, START_MS, timesOf } from './fusion.fixture.ts';
import { FINAL_AFTER_MS, HOLD_MS } from './fusion.ts';

const FEEDS = [feedOf('a'), feedOf('b'), feedOf('c', { aggregates: true }), feedOf('s', { simulated: true })];
const nullable = (value: fc.Arbitrary<number>) => fc.option(value);

const anyFix = fc.record({
  layer: fc.constantFrom('adsb' as const, 'rid' as const),
  trackKey: fc.nat(3).map(keyOf),
  feedTimeMs: fc.option(fc.integer({ min: -40_000, max: 10_000 }), { nil: undefined }),
  trackTimeMs: fc.option(fc.integer({ min: -8000, max: 2000 }), { nil: undefined }),
  lon: fc.constantFrom(-180, -179.999, 8.5, 8.500_005, 8.51, 8.9, 179.9999, 180),
  lat: fc.constantFrom(-90, 47.4, 47.401, 48, 90),
  speedMps: nullable(fc.constantFrom(0, 3, 240)),
  headingDeg: nullable(fc.constantFrom(0, 90, 271.5)),
  onGround: fc.boolean(),
  origin: fc.constantFrom(...POSITION_ORIGINS),
  accuracyM: nullable(fc.constantFrom(0, 5, 150, 18_000)),
});

const anyStep = fc.record({
  feed: fc.constantFrom(...FEEDS),
  laterMs: fc.constantFrom(0, 1, 40, 200, 900, 1600, 11_000, -3000, -3_600_000),
  fixes: fc.array(anyFix, { maxLength: 4 }),
  clockMs: fc.option(fc.integer({ min: -6000, max: 6000 })),
  settles: fc.boolean(),
});

describe('any fixes in any order', () => {
  test('give observations in order, at most 30 s old and never after their arrival', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const picture = new Picture();
        const latest = new Map<string, number>();
        const published: { observation: Observation; copy: Observation }[] = [];
        let ms = 0;
        let latestMs = Number.NEGATIVE_INFINITY;
        for (const { feed, laterMs, fixes, clockMs, settles } of steps) {
          ms += laterMs;
          // Times begin again after our clock was set back.
          if (ms < latestMs - 5000) {
            latest.clear();
            latestMs = ms;
          }
          latestMs = Math.max(latestMs, ms);
          const nowMs = START_MS + ms;
          const sent = fixes.map((fix): Fix => {
            const [feedTimeMs, trackTimeMs] = [fix.feedTimeMs, fix.trackTimeMs].map((time) => time && nowMs + time);
            return fixOf({ ...fix, feedTimeMs, trackTimeMs });
          });
          picture.fusion.add(feed, parsedOf(sent, clockMs === null ? undefined : nowMs + clockMs), at(ms));
          if (!settles) continue;
          for (const observation of picture.settle(ms)) {
            const key = `${observation.layer} ${observation.sourceId}`;
            const observedMs = epochMs(observation.observedAt);
            expect(observedMs).toBeGreaterThan(latest.get(key) ?? Number.NEGATIVE_INFINITY);
            expect(observedMs).toBeLessThanOrEqual(START_MS + latestMs);
            expect(nowMs - observedMs).toBeLessThanOrEqual(FINAL_AFTER_MS);
            expect(observation.confidenceScore === null || observation.confidenceScore <= 1).toBe(true);
            expect(observation.receiverCount === null || observation.receiverCount >= 1).toBe(true);
            latest.set(key, observedMs);
            published.push({ observation, copy: { ...observation } });
          }
        }
        for (const { observation, copy } of published) expect(observation).toEqual(copy);
      }),
    );
  });

  test('give live exactly the latest settled observation of each track', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const picture = new Picture();
        const latest = new Map<string, Observation>();
        let ms = 0;
        for (const { feed, laterMs, fixes } of steps) {
          ms += Math.abs(laterMs) % 20_000;
          const sent = fixes.map((fix) => fixOf({ ...fix, feedTimeMs: undefined, trackTimeMs: undefined }));
          picture.fusion.add(feed, parsedOf(sent), at(ms));
          for (const seen of picture.settle(ms)) latest.set(`${seen.layer} ${seen.sourceId}`, seen);
          const young = [...latest.values()].filter((seen) => START_MS + ms - epochMs(seen.observedAt) <= 15_000);
          const fresh = picture
            .live(ms)
            .filter(({ confidence }) => confidence !== 'stale' && confidence !== 'inconsistent');
          const expected = young.filter(({ confidence }) => confidence !== 'inconsistent');
          expect(fresh.filter((seen) => expected.includes(seen)).length).toBe(expected.length);
          for (const seen of picture.live(ms)) {
            expect(latest.get(`${seen.layer} ${seen.sourceId}`)?.observedAt).toBe(seen.observedAt);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  test('count once each', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const picture = new Picture();
        let ms = 0;
        let sent = 0;
        for (const { feed, laterMs, fixes } of steps) {
          ms += Math.abs(laterMs) % 20_000;
          sent += fixes.length;
          const fresh = fixes.map((fix) => fixOf({ ...fix, feedTimeMs: undefined, trackTimeMs: undefined }));
          picture.fusion.add(feed, parsedOf(fresh), at(ms));
          picture.settle(ms);
        }
        picture.settle(ms + 5000);
        const counted = FEEDS.flatMap(({ id }) => Object.values(picture.fusion.feedState(id)?.counts ?? {}));
        expect(counted.reduce((sum, count) => sum + count, 0)).toBe(sent);
      }),
      { numRuns: 50 },
    );
  });
});

/** Which of three stations hear one fix, and their delays. */
interface Step {
  readonly stepMs: number;
  readonly received: readonly boolean[];
  readonly delaysMs: readonly number[];
}

const flights: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    stepMs: fc.integer({ min: 400, max: 1500 }),
    received: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    delaysMs: fc.array(fc.integer({ min: 0, max: HOLD_MS - 20 }), { minLength: 3, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 25 },
);

interface Arrival {
  readonly station: number;
  readonly receptionMs: number;
  readonly arrivesMs: number;
}

function arrivalsOf(flight: readonly Step[]): Arrival[] {
  const arrivals: Arrival[] = [];
  const lastMs = [0, 0, 0];
  let receptionMs = 0;
  for (const { stepMs, received, delaysMs } of flight) {
    receptionMs += stepMs;
    for (let station = 0; station < 3; station += 1) {
      if (!received[station]) continue;
      lastMs[station] = Math.max(lastMs[station]!, receptionMs + delaysMs[station]!);
      arrivals.push({ station, receptionMs, arrivesMs: lastMs[station]! });
    }
  }
  return arrivals;
}

function play(arrivals: readonly Arrival[], placeOf: (arrival: Arrival) => { lon: number; lat: number }): Picture {
  const picture = new Picture();
  for (const feed of FEEDS.slice(0, 3)) picture.fusion.add(feed, parsedOf([], START_MS), at(0));
  for (const index of [0, 1, 2]) picture.receive(feedOf(`${index}`), 0, { trackKey: keyOf(7) });
  const byArrival = arrivals.toSorted((a, b) => a.arrivesMs - b.arrivesMs);
  for (const arrival of byArrival) {
    picture.settle(arrival.arrivesMs - 1);
    const fix = fixOf({ ...placeOf(arrival), feedTimeMs: START_MS + arrival.receptionMs });
    picture.fusion.add(
      feedOf(`${arrival.station}`),
      parsedOf([fix], START_MS + arrival.arrivesMs),
      at(arrival.arrivesMs),
    );
  }
  picture.settle((byArrival.at(-1)?.arrivesMs ?? 0) + 2000);
  return picture;
}

describe('several stations', () => {
  const ofFlight = (picture: Picture) => picture.past.filter(({ sourceId }) => sourceId !== keyOf(7));

  test('lose nothing and give the same result for any order within the hold', () => {
    fc.assert(
      fc.property(flights, flights, (sometimes, other) => {
        // Nothing waits for a station that sent none of the last three served fixes.
        const flight = sometimes.map((step, index) =>
          index % 3 === 0 ? { ...step, received: [true, true, true] } : step,
        );
        const arrivals = arrivalsOf(flight);
        const delays = arrivalsOf(
          flight.map((step, index) => ({ ...step, delaysMs: (other[index] ?? step).delaysMs })),
        );
        const place = ({ receptionMs }: Arrival) => alongMs(receptionMs);
        const [one, two] = [arrivals, delays].map((list) => ofFlight(play(list, place)));
        expect(two).toEqual(one);
        const received = new Set(arrivals.map(({ receptionMs }) => START_MS + receptionMs));
        expect(new Set(one!.map(({ observedAt }) => epochMs(observedAt)))).toEqual(received);
      }),
      { numRuns: 60 },
    );
  });

  test('never let one that is 20 km wrong move a mark while two agree', () => {
    fc.assert(
      fc.property(flights, fc.integer({ min: 0, max: 359 }), fc.nat(2), (flight, course, wrong) => {
        const arrivals = arrivalsOf(flight.map((step) => ({ ...step, received: [true, true, true] })));
        const picture = play(arrivals, ({ station, receptionMs }) =>
          station === wrong ? destination(alongMs(receptionMs), course, 20_000) : alongMs(receptionMs),
        );
        const seen = ofFlight(picture);
        expect(seen.length).toBe(flight.length);
        for (const { lon, lat, observedAt, receiverCount } of seen) {
          expect(distanceM({ lon, lat }, alongMs(epochMs(observedAt) - START_MS))).toBeLessThan(1);
          expect(receiverCount).toBe(2);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('make one mark that never goes back, despite clock errors and delays', () => {
    const errors = fc.array(fc.integer({ min: -4000, max: 4000 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(errors, fc.integer({ min: 1, max: 1000 }), (errorsMs, seed) => {
        const picture = new Picture();
        for (let ms = 0; ms < 30_000; ms += 100) {
          for (const [station, errorMs] of errorsMs.entries()) {
            if ((ms / 100 + station * 3) % 10 !== 0) continue;
            const receptionMs = ms - 50 - ((seed * (station + 1) + ms) % 400);
            const fix = fixOf({ ...alongMs(receptionMs), feedTimeMs: START_MS + receptionMs + errorMs });
            picture.fusion.add(feedOf(`${station}`), parsedOf([fix], START_MS + ms + errorMs), at(ms));
          }
          picture.settle(ms);
        }
        const lons = picture.past.map(({ lon }) => lon);
        expect(lons).toEqual(lons.toSorted((a, b) => a - b));
        expect(picture.past.at(-1)).toMatchObject({ receiverCount: 3, confidence: 'multi_station' });
        expect(picture.past.filter(({ confidence }) => confidence === 'inconsistent')).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

/** A station sends at most once in 10 ms: closer fixes lie at the same place, and count as one that is repeated. */
const rounds = fc.array(
  fc.array(fc.record({ sinceMs: fc.nat(990), isReceived: fc.boolean() }), { minLength: 3, maxLength: 3 }),
  { minLength: 1, maxLength: 20 },
);

test('settles a lone station at once, and waits for others no longer than the hold', () => {
  fc.assert(
    fc.property(rounds, fc.integer({ min: 1, max: 3 }), (received, stations) => {
      const picture = new Picture();
      const arrivals = received.flatMap((round, second) =>
        round.slice(0, stations).flatMap(({ sinceMs, isReceived }, station) => {
          const receptionMs = second * 1000 + sinceMs;
          return isReceived ? [{ station, receptionMs }] : [];
        }),
      );
      for (const { station, receptionMs } of arrivals.toSorted((a, b) => a.receptionMs - b.receptionMs)) {
        picture.receive(feedOf(`${station}`), receptionMs);
        const settled = picture.settle(receptionMs);
        if (stations === 1) expect(timesOf(settled)).toEqual([receptionMs]);
        picture.settle(receptionMs + HOLD_MS);
        expect(picture.fusion.drain(at(receptionMs + HOLD_MS))).toEqual([]);
      }
    }),
    { numRuns: 100 },
  );
});

test('bounds a flood of random names, and forgets it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.array(fc.nat(1e9), { maxLength: 300 }), (max, names) => {
      const picture = new Picture(max);
      for (const [index, name] of names.entries()) picture.receive(FEEDS[index % 2]!, index, { trackKey: keyOf(name) });
      picture.settle(5000);
      expect(picture.live(5000).length).toBeLessThanOrEqual(2 * max);
      for (const { id } of FEEDS) expect(picture.fusion.feedState(id)?.tracks ?? 0).toBeLessThanOrEqual(max);
      picture.settle(200_000);
      for (const { id } of FEEDS) expect(picture.fusion.feedState(id)?.tracks ?? 0).toBe(0);
      expect(picture.live(5000)).toEqual([]);
    }),
    { numRuns: 30 },
  );
});
