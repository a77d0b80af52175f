import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distanceM, EARTH_RADIUS_M } from '#lib/geo/great-circle.ts';
import { isMissing } from '#testing/missing-package.ts';
import { bodiesInSky } from './sky.ts';

const CASES = 200;
/** Lower, models of refraction differ by more than places do. */
const ALTITUDE_MIN_DEG = 3;
const OFF_MAX_DEG = 0.2;

/** By PyEphem: azimuth and altitude in degrees of each body, for each `[lon, lat, seconds since 1970]`. */
const EPHEMERIS = `
import ephem, json, math, sys, datetime
stars = sys.argv[1].split(',')
for line in sys.stdin:
    lon, lat, at = json.loads(line)
    place = ephem.Observer()
    place.lon, place.lat, place.elevation, place.pressure, place.temp = str(lon), str(lat), 0, 1010, 10
    place.date = ephem.Date(datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=at))
    answer = {}
    bodies = [(name, getattr(ephem, name)()) for name in ('Sun', 'Moon', 'Venus', 'Jupiter', 'Mars', 'Saturn', 'Mercury')]
    for name, body in bodies + [(name, ephem.star(name)) for name in stars]:
        body.compute(place)
        answer[name] = [math.degrees(body.az), math.degrees(body.alt)]
    print(json.dumps(answer))
`;
const STARS = [
  'Sirius',
  'Canopus',
  'Arcturus',
  'Vega',
  'Capella',
  'Rigel',
  'Procyon',
  'Achernar',
  'Betelgeuse',
  'Hadar',
  'Altair',
  'Aldebaran',
  'Antares',
  'Spica',
  'Pollux',
  'Fomalhaut',
  'Deneb',
  'Mimosa',
  'Regulus',
];

test.skipIf(isMissing('python3-ephem'))('the sky agrees with an independent ephemeris within 0.2°', () => {
  const places = fc.sample(
    fc.tuple(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.double({ min: -70, max: 70, noNaN: true }),
      fc.integer({ min: Date.UTC(2020) / 1000, max: Date.UTC(2040) / 1000 }),
    ),
    CASES,
  );
  const answers = execFileSync('/usr/bin/python3', ['-c', EPHEMERIS, STARS.join(',')], {
    input: places.map((place) => JSON.stringify(place)).join('\n'),
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, readonly [number, number]>);
  let compared = 0;
  for (const [index, [lon, lat, atS]] of places.entries()) {
    const ours = new Map(bodiesInSky({ lon, lat }, atS * 1000).map((each) => [each.body, each]));
    for (const [body, [azimuthDeg, altitudeDeg]] of Object.entries(answers[index] ?? {})) {
      const own = ours.get(body);
      if (altitudeDeg < -1) expect(own, `${body} is below the horizon`).toBeUndefined();
      if (altitudeDeg < ALTITUDE_MIN_DEG) continue;
      expect(own, `${body} is above the horizon`).toBeDefined();
      if (!own) continue;
      compared++;
      const apart = distanceM({ lon: azimuthDeg, lat: altitudeDeg }, { lon: own.azimuth_deg, lat: own.altitude_deg });
      expect((apart / EARTH_RADIUS_M) * (180 / Math.PI), body).toBeLessThan(OFF_MAX_DEG);
    }
  }
  expect(compared).toBeGreaterThan(CASES);
});
