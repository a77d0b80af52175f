import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shortName } from '#lib/api/short-name.ts';
import { zoneContentSchema } from '../zone.ts';
import { arbitraryZone } from './arbitrary-zone.fixture.ts';
import { writeGeojson } from './geojson.ts';
import { drafts, imported, square } from './import-file.fixture.ts';
import { IMPORT_MAX_BYTES } from './import-zones.ts';
import { writeKml } from './kml.ts';

const zones = fc.uniqueArray(arbitraryZone, { maxLength: 4, minLength: 1, selector: ({ name }) => name });

const ED_269 = {
  features: [
    {
      name: 'A',
      applicability: [{ permanent: 'NO', schedule: [{ day: ['MON'], startTime: '06:00Z', endTime: '18:00Z' }] }],
      geometry: [
        {
          uomDimensions: 'M',
          lowerLimit: 0,
          lowerVerticalReference: 'AGL',
          upperLimit: 120,
          upperVerticalReference: 'AGL',
          horizontalProjection: { type: 'Polygon', coordinates: [square(8, 47)] },
        },
        { uomDimensions: 'FT', horizontalProjection: { type: 'Circle', center: [8, 47], radius: 100 } },
      ],
    },
  ],
};
const OPEN_AIR =
  'AC D\nAN A\nAL GND\nAH 2500ft AMSL\nV X=47:00:00 N 008:00:00 E\nDA 10, 0, 90\nDP 47:00:00 N 008:00:00 E\n';
const bytesOf = (text: string) => new TextEncoder().encode(text);

const file: fc.Arbitrary<Uint8Array> = fc.oneof(
  zones.map((each) => bytesOf(writeGeojson(each))),
  zones.map((each) => bytesOf(writeKml(each))),
  fc.constantFrom(bytesOf(JSON.stringify(ED_269)), bytesOf(OPEN_AIR)),
);

describe('exports', () => {
  test('importing a GeoJSON or KML export gives the same zones', () => {
    fc.assert(
      fc.property(zones, (each) => {
        expect(drafts(writeGeojson(each))).toEqual(each);
        expect(drafts(writeKml(each))).toEqual(each);
      }),
    );
  });

  test('exports without their own words give as many zones, also across 180°', () => {
    const options = { answers: { lines: 100, corners: 'simplify', closed_lines: 'line' } } as const;
    fc.assert(
      fc.property(zones, (each) => {
        const file = JSON.parse(writeGeojson(each));
        for (const { properties } of file.features) delete properties.lookout_zone;
        const plainKml = writeKml(each).replaceAll(/<ExtendedData>.*?<\/ExtendedData>/gs, '');
        for (const content of [file, plainKml])
          expect(drafts(content, options).map(({ shape }) => shape.type)).toEqual(
            each.map(({ shape }) => (shape.type === 'Circle' ? 'Polygon' : shape.type)),
          );
      }),
    );
  });

  test('geometries stay within -180 to 180', () => {
    fc.assert(
      fc.property(zones, (each) => {
        for (const { geometry } of JSON.parse(writeGeojson(each)).features) {
          const numbers = geometry.coordinates.flat(Number.POSITIVE_INFINITY) as number[];
          expect(Math.max(...numbers)).toBeLessThanOrEqual(180);
          expect(Math.min(...numbers)).toBeGreaterThanOrEqual(-180);
        }
      }),
    );
  });
});

describe('imports never throw, and give all zones or none', () => {
  function check(content: Uint8Array | string): void {
    const result = imported(content, { answers: { radius: 'feet', points: 10, lines: 10, corners: 'simplify' } });
    if (result.kind === 'problems') {
      expect(result.total).toBeGreaterThan(0);
      for (const { place, problem } of result.problems) expect([place, problem]).not.toContain('');
    }
    if (result.kind !== 'zones') return;
    for (const { name, ...content } of result.drafts) {
      expect(shortName.parse(name)).toBe(name);
      expect(zoneContentSchema.safeParse(content).error).toBeUndefined();
    }
  }

  test('for random bytes, also behind the beginnings of formats', () => {
    const starts = [
      '',
      '{',
      '[{"geometry":',
      '{"type":"Feature","geometry":',
      '<kml>',
      'AC D\n',
      'AC D\nDP ',
      '\uFEFF',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }), (start, bytes) => {
        check(Uint8Array.of(...bytesOf(start), ...bytes));
      }),
    );
  });

  test('for JSON of any values where a format has fields', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, value, value, (a, b, c, d) => {
        const volume = {
          uomDimensions: a,
          lowerLimit: b,
          upperLimit: c,
          horizontalProjection: { type: 'Circle', center: d, radius: a },
        };
        const feature = {
          name: a,
          applicability: [{ startDateTime: b, schedule: [{ day: c, startTime: d }] }],
          geometry: [volume, a],
        };
        const geometry = { type: 'Polygon', coordinates: a, layer: { lower: b, upper: c, uom: 'ft' }, extent: d };
        const layered = { type: 'Feature', properties: { name: b, limitedApplicability: c }, geometry };
        const own = {
          type: 'Feature',
          properties: { lookout_zone: b },
          geometry: { type: 'MultiPoint', coordinates: c },
        };
        for (const content of [{ features: [feature, a] }, { features: [layered, b] }, own, a])
          check(JSON.stringify(content));
      }),
    );
  });

  test('for files with damaged bytes', () => {
    fc.assert(
      fc.property(file, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5, minLength: 1 }), (bytes, damage) => {
        const damaged = Uint8Array.from(bytes);
        for (const [at, byte] of damage) damaged[at % damaged.length] = byte;
        check(damaged);
      }),
    );
  });

  test('for cut files, of which JSON and XML always give problems', () => {
    fc.assert(
      fc.property(file, fc.double({ min: 0, max: 0.999, noNaN: true }), (bytes, part) => {
        const text = new TextDecoder().decode(bytes).trimEnd();
        const cut = text.slice(0, Math.floor(text.length * part));
        check(cut);
        if (!text.startsWith('AC')) expect(imported(cut).kind).toBe('problems');
      }),
    );
  });
});

// Functions, since a runner prints the values of a table.
const hostile: Readonly<Record<string, () => string | Uint8Array | object>> = {
  'too many bytes': () => new Uint8Array(IMPORT_MAX_BYTES + 1),
  'lists in lists': () => '['.repeat(IMPORT_MAX_BYTES),
  'lists in a field': () => `{"a":${'['.repeat(1e6)}${']'.repeat(1e6)}}`,
  'elements in elements': () => '<a>'.repeat(6e6),
  'comments without an end': () => '<!--'.repeat(5e6),
  'a billion laughs': () =>
    '<!DOCTYPE kml [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><kml>&b;</kml>',
  'elements without references': () => `<kml>${'<a b="1"/>'.repeat(5e4)}</kml>`,
  'references of many kinds': () => `<kml>${'&'.repeat(1e6)}</kml>`,
  'prefixes without declarations': () =>
    `<kml>${Array.from({ length: 1e5 }, (_, index) => `<p${index}:a/>`).join('')}</kml>`,
  'a tag without its end': () => `<kml><a ${'b '.repeat(1e6)}`,
  'commas between positions': () =>
    `<kml><Placemark><LineString><coordinates>${'8, '.repeat(1e6)}</coordinates></LineString></Placemark></kml>`,
  'open rings': () => ({
    type: 'FeatureCollection',
    features: Array(60_000).fill({
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [square(8, 47).slice(1)] },
    }),
  }),
  'faults a line': () => `{"type":"Feature","geometry":null}\n${'{"a":\n'.repeat(1e5)}`,
  'many empty features': () => `{"type":"FeatureCollection","features":[${'{},'.repeat(1e5)}{}]}`,
  'many airspaces': () => 'AC D\n'.repeat(1e6),
  'long lines': () => `AC D\nAH ${'1 '.repeat(1e6)}`,
  'blanks before characters': () => `AC D\n${`AA ${' '.repeat(1900)}x\n`.repeat(2000)}`,
  'numbers beyond the range': () => '{"type":"Polygon","coordinates":[[[1e400,1],[2,2],[3,3],[1e400,1]]]}',
  'parts times spans': () => {
    const span = { startDateTime: '2026-01-01T00:00Z', endDateTime: '2026-01-02T00:00Z' };
    const volume = { horizontalProjection: { type: 'Polygon', coordinates: [square(8, 47)] } };
    return { features: [{ applicability: Array(2000).fill(span), geometry: Array(2000).fill(volume) }] };
  },
  'the text of a field': () => ({ features: [{ name: 'x'.repeat(5e6), geometry: ['y'.repeat(5e6)] }] }),
};

test.each(Object.keys(hostile))('%s end in problems', (name) => {
  expect(imported(hostile[name]?.() ?? '').kind).toBe('problems');
});
