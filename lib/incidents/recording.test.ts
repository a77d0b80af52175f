import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bearingDeg, destination } from '#lib/geo/great-circle.ts';
import { wrapBearing } from '#lib/geo/longitude.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { openRecordings } from '#service/sources/recording/open-recordings.ts';
import { fitsOf, type SightedTrack } from './sighting-fits.ts';

const SWISS = join(import.meta.dirname, '../../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const START = upstreamInstant(Date.UTC(2026, 10, 1, 12));
const BOX = { west: 5.5, south: 45.5, east: 11, north: 48 };
const CASES = 1000;
const FIRST_MIN = 950;
const AWAY_MAX_M = 10_000;
const ERRORS = { atMs: 30_000, bearingDeg: 5 };

test.skipIf(!existsSync(SWISS))(
  'a sighting made from a received track lists it in 1000 of 1000 cases, first in most (skipped without the recordings next to the project)',
  async () => {
    const { source } = await openRecordings({ files: [SWISS], anchor: START });
    const { observations } = source.history('adsb', BOX, { start: START, end: addMs(START, 3 * HOUR_MS) }, 2_000_000);
    const tracks = new Map<string, Position[]>();
    for (const { sourceId: ref, observedAt, lon, lat, altitudeM } of observations) {
      const position = { ...plainPosition, ref, observedAt, lon, lat, altitudeM: altitudeM ?? undefined };
      const its = tracks.get(ref);
      if (its) its.push(position);
      else tracks.set(ref, [position]);
    }
    let drawn = 0;
    const random = () => seededUnit(1, drawn++);
    const within = (max: number) => (2 * random() - 1) * max;
    let [listed, first] = [0, 0];
    for (let index = 0; index < CASES; index++) {
      const seen = observations[Math.floor(random() * observations.length)]!;
      const atMs = epochMs(seen.observedAt);
      const place = destination(seen, random() * 360, AWAY_MAX_M * Math.sqrt(random()));
      const near: SightedTrack[] = [...tracks].flatMap(([ref, all]) => {
        const positions = all.filter(({ observedAt }) => Math.abs(epochMs(observedAt) - atMs) < 5 * MINUTE_MS);
        return positions.length > 0 ? [{ ref, layer: 'adsb', positions }] : [];
      });
      const { fits } = fitsOf(
        {
          atMs: atMs + within(ERRORS.atMs),
          atWithinMs: ERRORS.atMs,
          place,
          bearingDeg: wrapBearing(bearingDeg(place, seen) + within(ERRORS.bearingDeg)),
          bearingWithinDeg: ERRORS.bearingDeg,
          elevationDeg: undefined,
          elevationWithinDeg: undefined,
          distanceM: undefined,
          distanceWithinM: undefined,
        },
        near,
      );
      if (fits.some(({ track }) => track.ref === seen.sourceId)) listed++;
      if (fits[0]?.track.ref === seen.sourceId) first++;
    }
    expect(listed).toBe(CASES);
    expect(first).toBeGreaterThanOrEqual(FIRST_MIN);
  },
  60_000,
);
