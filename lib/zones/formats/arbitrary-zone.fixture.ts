import fc from 'fast-check';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { HEIGHT_FIELDS } from '../height-field.ts';
import { type Rule, ruleSchema } from '../rule.ts';
import { type Hours, UNKNOWN_HEIGHTS, type Vertical, WEEKDAYS, type ZoneShape } from '../zone.ts';
import type { ImportedZone } from './import-report.ts';

const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true }).map((deg) => deg + 0);

/** Even spacing around a middle, so that rings can't cross themselves. */
const polygon: fc.Arbitrary<ZoneShape> = fc
  .record({
    lon: degrees(-180, 179.9),
    lat: degrees(-70, 70),
    corners: fc.array(fc.record({ turn: degrees(0, 0.6), radius: degrees(0.01, 3) }), { minLength: 5, maxLength: 12 }),
    isClockwise: fc.boolean(),
    hasHole: fc.boolean(),
  })
  .map(({ lon, lat, corners, isClockwise, hasHole }) => {
    const ring = (size: number): [number, number][] => {
      const open = corners.map(({ turn, radius }, index): [number, number] => {
        const angle = ((index + turn) / corners.length) * 2 * Math.PI;
        return [wrapLongitude(lon + size * radius * Math.cos(angle)), lat + size * radius * Math.sin(angle)];
      });
      const closed = [...open, open[0] as [number, number]];
      return isClockwise ? closed.reverse() : closed;
    };
    return { type: 'Polygon', coordinates: hasHole ? [ring(1), ring(0.3)] : [ring(1)] };
  });

const circle: fc.Arbitrary<ZoneShape> = fc.record({
  type: fc.constant('Circle'),
  centre: fc.tuple(degrees(-180, 180), degrees(-70, 70)),
  radius_m: degrees(1, 500_000),
});

const corridor: fc.Arbitrary<ZoneShape> = fc
  .record({
    lon: degrees(-180, 179.9),
    places: fc.uniqueArray(fc.tuple(degrees(-80, 80), degrees(-70, 70)), {
      minLength: 2,
      maxLength: 8,
      selector: String,
    }),
    half_width_m: degrees(1, 100_000),
  })
  .map(({ lon, places, half_width_m }) => ({
    type: 'Corridor' as const,
    line: places.map(([east, lat]): [number, number] => [wrapLongitude(lon + east), lat]),
    half_width_m,
  }))
  .filter(({ line }) => line.every((place, index) => String(place) !== String(line[index - 1])));

const shape: fc.Arbitrary<ZoneShape> = fc.oneof(polygon, circle, corridor);

const vertical: fc.Arbitrary<Vertical> = fc.option(
  fc.record({
    field: fc.constantFrom(...HEIGHT_FIELDS),
    floor_m: fc.option(degrees(-1000, 0)),
    ceiling_m: fc.option(degrees(0, 100_000)),
    unknown: fc.constantFrom(...UNKNOWN_HEIGHTS),
  }),
);

const time = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));

const hours: fc.Arbitrary<Hours> = fc.option(
  fc.oneof(
    fc.record({
      time_zone: fc.constant('Europe/Zurich'),
      weekly: fc.array(fc.record({ days: fc.subarray([...WEEKDAYS], { minLength: 1 }), from: time, to: time }), {
        minLength: 1,
        maxLength: 21,
      }),
    }),
    fc.record({
      time_zone: fc.constant('UTC'),
      from: time.map((from) => `2026-11-27T${from}`),
      to: time.map((to) => `2026-11-28T${to}`),
    }),
  ),
);

const rule: fc.Arbitrary<Rule> = fc
  .constantFrom('entered', 'left', 'emergency')
  .map((kind) => ruleSchema.parse({ kind, layers: ['rid'], hold_s: 5 }));

export const arbitraryZone: fc.Arbitrary<ImportedZone> = fc.record({
  name: fc.stringMatching(/^[A-Za-z0-9<>&"'éß漢]{1,40}$/).map((name) => name.normalize('NFC')),
  shape,
  vertical,
  hours,
  rules: fc.array(rule, { maxLength: 3 }),
  source: fc.option(
    fc.record({
      format: fc.constantFrom(
        'geojson' as const,
        'kml' as const,
        'ed-269' as const,
        'ed-318' as const,
        'openair' as const,
      ),
      file: fc.string({ unit: 'binary', maxLength: 100 }),
      imported_at: fc.constant('2026-11-27T09:00:00Z'),
      words: fc.dictionary(
        fc.string({ unit: 'grapheme' }).filter((key) => key !== '__proto__'),
        fc.string({ unit: 'binary' }),
      ),
    }),
  ),
});
