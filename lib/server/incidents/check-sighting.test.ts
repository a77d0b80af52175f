import { afterEach, describe, expect, test } from 'vitest';
import { type SightingBody, sightingCheckSchema, sightingSchema } from '#lib/api/watching/sightings.ts';
import { bearingDeg, destination, distanceM } from '#lib/geo/great-circle.ts';
import type { ReceptionStretch } from '#lib/model/reception.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { addMs, epochMs, formatInstant, instantOf } from '#lib/time/instant.ts';
import { groundOf } from '#lib/zones/ground.ts';
import { observation } from '#service/conformance/listed-source.ts';
import { type HistoryHarness, startHistoryHarness } from '#testing/history-harness.ts';
import { refusalOf } from '../views/refusal-of.fixture.ts';
import { withReception } from '../zones/with-reception.fixture.ts';
import { compareSighting, coneOf } from './check-sighting.ts';

const SEEN = instantOf('2026-11-21T10:30:00Z');
const PERSON = { lon: 8.55, lat: 47.4 };

/** Ten minutes around the sighting, every 5 s. */
const flight = (sourceId: string, from: { lon: number; lat: number }, courseDeg: number, more: object = {}) =>
  Array.from({ length: 120 }, (_, index) =>
    observation({
      layer: 'adsb',
      sourceId,
      ...destination(from, courseDeg, index * 500),
      altitudeM: 3000,
      heightAglM: null,
      observedAt: addMs(SEEN, (index - 60) * 5000),
      ...more,
    }),
  );

let harness: HistoryHarness | undefined;
afterEach(() => harness?.live.close());

const bodyOf = (change: object = {}): SightingBody =>
  sightingSchema.parse({
    at: formatInstant(SEEN),
    at_within_s: 20,
    place: [PERSON.lon, PERSON.lat],
    bearing_deg: 90,
    bearing_within_deg: 5,
    ...change,
  });

async function checked(change: object = {}, stretches?: readonly ReceptionStretch[], now = addMs(SEEN, 3_600_000)) {
  if (!harness) throw new Error('start one');
  const { reader } = harness;
  const { load } = stretches ? withReception(reader, stretches) : reader;
  const check = await compareSighting(bodyOf(change), {
    load: (query, signal) => (stretches ? load(query, 'al', signal) : reader.load(query, 'al', signal)),
    signal: new AbortController().signal,
    left: new AbortController().signal,
    now,
  });
  return sightingCheckSchema.parse(check);
}

test('the area of a sighting is its direction up to its distance', () => {
  const ground = groundOf(coneOf(bodyOf({ distance_m: 4000, distance_within_m: 1000 })));
  const isIn = (deg: number, distanceM: number) => {
    const { lon, lat } = destination(PERSON, deg, distanceM);
    return ground.contains(lon, lat);
  };
  expect([isIn(90, 4900), isIn(86, 3000), isIn(94, 3000)]).toEqual([true, true, true]);
  expect([isIn(90, 5100), isIn(84, 3000), isIn(96, 3000), isIn(270, 100)]).toEqual([false, false, false, false]);
});

describe('a check of a sighting', () => {
  test('that ran out of time says that its times are not known', async () => {
    harness = await startHistoryHarness([]);
    const { reader } = harness;
    const over = new AbortController();
    const check = await compareSighting(bodyOf(), {
      load: (query, signal) => {
        over.abort();
        return reader.load(query, 'al', signal);
      },
      signal: over.signal,
      left: new AbortController().signal,
      now: addMs(SEEN, 3_600_000),
    });
    expect(check.not_watched).toEqual(
      ['rid', 'adsb'].map((layer) => ({
        layer,
        from: '2026-11-21T10:29:40.000Z',
        to: '2026-11-21T10:30:20.001Z',
        reason: 'service_timeout',
      })),
    );
  });

  test('finds the track on the line of sight, and the nearest outside of it', async () => {
    const east = destination(PERSON, 90, 8000);
    const north = destination(PERSON, 60, 12_000);
    harness = await startHistoryHarness([
      // Crosses the line of sight at the time of the sighting.
      ...flight('crossing', destination(east, 180, 30_000), 0),
      ...flight('beside', destination(north, 180, 30_000), 0),
      ...flight('behind', destination(PERSON, 270, 9000), 0),
    ]);
    const check = await checked();
    expect(check).toMatchObject({ fits_count: 1, not_watched: [] });
    const [fit] = check.fits;
    expect(fit).toMatchObject({ layer: 'adsb', simulated: false, test: false });
    expect(fit?.off_deg).toBe(0);
    expect(fit?.distance_m).toBeCloseTo(8000, -2);
    expect(Math.abs(Date.parse(fit?.at ?? '') - epochMs(SEEN))).toBeLessThan(2000);
    expect(fit?.elevation_deg).toBeCloseTo((Math.atan2(3000, 8000) * 180) / Math.PI, 0);
    expect(check.nearest_miss?.track).not.toBe(fit?.track);
    expect(check.nearest_miss?.off_deg).toBeGreaterThan(5);
    expect(check.requests).toBeGreaterThan(0);
    expect((await checked()).requests).toBe(0);
  });

  test('takes a stated distance, and lists the nearer fit first', async () => {
    harness = await startHistoryHarness(
      [8000, 20_000].flatMap((away) => {
        const there = destination(PERSON, 90, away);
        return flight(`at ${away}`, destination(there, 180, 30_000), 0);
      }),
    );
    const both = await checked();
    expect(both.fits.map(({ distance_m }) => Math.round(distance_m / 1000))).toEqual([8, 20]);
    const far = await checked({ distance_m: 21_000, distance_within_m: 3000 });
    expect(far.fits.map(({ distance_m }) => Math.round(distance_m / 1000))).toEqual([20]);
    expect(far.nearest_miss?.distance_m).toBeCloseTo(8000, -2);
    expect(far.range_m).toBe(24_000);
  });

  test('a height never excludes a track: null is not 0, and the datum is not known', async () => {
    const there = destination(PERSON, 90, 8000);
    harness = await startHistoryHarness(flight('no height', destination(there, 180, 30_000), 0, { altitudeM: null }));
    const check = await checked({ elevation_deg: 60, elevation_within_deg: 5 });
    expect(check.fits).toMatchObject([{ elevation_deg: null }]);
  });

  test('says which of its times were not watched, and why', async () => {
    harness = await startHistoryHarness([]);
    const [from, to] = [addMs(SEEN, -3_600_000), addMs(SEEN, 3_600_000)];
    expect((await checked({}, [{ from, to, state: 'ok' }])).not_watched).toEqual([]);
    const { not_watched } = await checked({}, [{ from, to: SEEN, state: 'lost' }]);
    expect(not_watched).toHaveLength(2);
    for (const stretch of not_watched)
      expect(stretch).toMatchObject({
        from: formatInstant(addMs(SEEN, -20_000)),
        to: formatInstant(SEEN),
        reason: 'receivers_lost',
      });
    const unread = await checked({ max_requests: 0, place: [9.5, 46] });
    expect(new Set(unread.not_watched.map(({ reason }) => reason))).toEqual(new Set(['not_requested']));
  });

  test('wherever and whenever it was, an hour without receivers or without a load is not watched', async () => {
    harness = await startHistoryHarness([]);
    const hour = { from: addMs(SEEN, -1_800_000), to: addMs(SEEN, 1_800_000) };
    for (let index = 0; index < 100; index++) {
      const drawn = (of: number) => seededUnit(7, index, of);
      const within = Math.round(drawn(0) * 600);
      const body = {
        at: formatInstant(addMs(hour.from, within * 1000 + drawn(1) * (3_600_000 - 2000 * within))),
        at_within_s: within,
        place: [drawn(2) * 340 - 170, drawn(3) * 120 - 60],
        bearing_deg: drawn(4) * 360,
        bearing_within_deg: drawn(5) * 45,
      };
      const lost = await checked(body, [{ ...hour, state: 'none' }]);
      const unread = await checked({ ...body, place: [body.place[0], -body.place[1]!], max_requests: 0 });
      for (const [{ not_watched }, reason] of [
        [lost, 'not_equipped'],
        [unread, 'not_requested'],
      ] as const) {
        for (const layer of ['rid', 'adsb']) {
          const its = not_watched.filter((stretch) => stretch.layer === layer);
          expect(its.map((stretch) => stretch.reason)).toEqual([reason]);
          expect(Date.parse(its[0]!.to) - Date.parse(its[0]!.from)).toBeGreaterThanOrEqual(2000 * within - 2);
        }
      }
    }
  });

  test('of a past that no history has, all of its times are not watched', async () => {
    harness = await startHistoryHarness([]);
    const check = await checked({ at: '2026-01-05T12:00:00Z' });
    expect(check.fits).toEqual([]);
    expect(check.not_watched).toMatchObject([
      { layer: 'rid', reason: 'outside_lookback' },
      { layer: 'adsb', reason: 'outside_lookback' },
    ]);
  });

  test('of a moment ago, the last seconds are not read yet', async () => {
    harness = await startHistoryHarness([]);
    const { not_watched } = await checked({ at_within_s: 60 }, undefined, addMs(SEEN, 5000));
    expect(not_watched.map(({ to }) => to)).toEqual([
      formatInstant(addMs(SEEN, 5000)),
      formatInstant(addMs(SEEN, 5000)),
    ]);
  });

  test('refuses a future, and half of an elevation or distance', async () => {
    harness = await startHistoryHarness([]);
    const future = () => checked({ at: formatInstant(addMs(SEEN, 7_200_000)) });
    expect(await refusalOf(future)).toBe('bad_body');
    expect(await refusalOf(() => checked({ elevation_deg: 10 }))).toBe('bad_body');
    expect(await refusalOf(() => checked({ distance_within_m: 10 }))).toBe('bad_body');
  });

  test('looks across 180°', async () => {
    const place = { lon: 179.98, lat: -17 };
    const there = destination(place, 90, 8000);
    harness = await startHistoryHarness(flight('over', destination(there, 180, 30_000), 0));
    const { fits } = await checked({ place: [place.lon, place.lat] });
    expect(fits).toHaveLength(1);
    expect(Math.abs((fits[0]?.bearing_deg ?? 0) - bearingDeg(place, there))).toBeLessThan(1);
    expect(distanceM(place, there)).toBeCloseTo(fits[0]?.distance_m ?? 0, -2);
  });
});
