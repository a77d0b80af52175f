import { describe, expect, test } from 'vitest';
import { drafts, imported, problems, questions, square } from '../import-file.fixture.ts';
import { writeKml } from '../kml/write-kml.ts';
import { writeGeojson } from './write-geojson.ts';

const feature = (geometry: unknown, properties: unknown = { name: 'A' }) => ({ type: 'Feature', geometry, properties });
const collection = (...features: unknown[]) => ({ type: 'FeatureCollection', features });
const polygon = { type: 'Polygon', coordinates: [square(8, 47)] };
const point = { type: 'Point', coordinates: [8.5, 47.4] };
const line = {
  type: 'LineString',
  coordinates: [
    [8, 47],
    [9, 47],
  ],
};
const kml = (inside: string) => `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2">${inside}</kml>`;
const placemark = (inside: string) => kml(`<Document><Placemark>${inside}</Placemark></Document>`);
const kmlPolygon = (ring: string, more = '') =>
  `<Polygon>${more}<outerBoundaryIs><LinearRing><coordinates>${ring}</coordinates></LinearRing></outerBoundaryIs></Polygon>`;

describe('GeoJSON', () => {
  test('polygons become zones without limits, and properties their words', () => {
    const [draft] = drafts(feature(polygon, { title: 'Site', floor: 30, stroke: '#f00', note: 'a\u0000b' }));
    expect(draft).toEqual({
      name: 'Site',
      shape: polygon,
      vertical: null,
      hours: null,
      rules: [],
      source: {
        format: 'geojson',
        file: 'zones.txt',
        imported_at: '2026-11-27T09:00:00Z',
        words: { title: 'Site', floor: '30', note: 'a b' },
      },
    });
  });

  test('the width of lines and the radius of points are questions; leaving them out is counted', () => {
    const file = collection(
      feature(polygon),
      feature(line, { name: 'L' }),
      feature(point, { name: 'P' }),
      feature(point),
    );
    expect(questions(file)).toEqual({ lines: ['Feature 2 “L”'], points: ['Feature 3 “P”', 'Feature 4 “A”'] });
    expect(drafts(file, { answers: { lines: 100, points: 50 } }).map(({ shape }) => shape)).toEqual([
      polygon,
      { type: 'Corridor', line: line.coordinates, half_width_m: 100 },
      { type: 'Circle', centre: point.coordinates, radius_m: 50 },
      { type: 'Circle', centre: point.coordinates, radius_m: 50 },
    ]);
    expect(imported(file, { answers: { lines: 'leave_out', points: 'leave_out' } })).toMatchObject({
      drafts: [{ name: 'A' }],
      leftOut: ['1 line', '2 points'],
    });
  });

  test('names are unique, short and without control characters', () => {
    const long = 'x'.repeat(100);
    const names = drafts(
      collection(...['A', 'A', ' A\u202e', '', long, long].map((name) => feature(polygon, { name }))),
    ).map(({ name }) => name);
    expect(names).toEqual(['A', 'A (2)', 'A (3)', 'Feature 4', `${'x'.repeat(79)}…`, `${'x'.repeat(75)}… (2)`]);
  });

  test.each([
    [collection(null), /Feature 1: has the type null, not "Feature"/],
    [collection(feature(null)), /Feature 1 “A”: has no geometry/],
    [collection(), /has no zones/],
    [{ type: 'Topology' }, /TopoJSON/],
    [{ type: 'FeatureCollection' }, /without features/],
    [feature({ type: 'MultiPolygon', coordinates: [] }), /is a MultiPolygon without parts/],
    [
      feature({
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      }),
      /has 3 different positions in a row, where 4/,
    ],
    ['{"type":"FeatureCollection","features":[', /no valid JSON, or is cut short/],
    ['hello', /none of GeoJSON, KML, ED-269, ED-318 and OpenAir/],
    ['', /none of GeoJSON/],
    ['PK\u0003\u0004', /KMZ/],
    [Uint8Array.of(0x7b, 0xff, 0x7d), /no text in UTF-8/],
  ])('%j is refused in words', (file, message) => {
    expect(problems(file).join()).toMatch(message);
  });
});

test('shapes that a zone cannot have are refused with their place', () => {
  const bow = [
    [8, 47],
    [9, 48],
    [9, 47],
    [8, 48],
    [8, 47],
  ];
  const aroundThePole = [
    [0, 80],
    [90, 80],
    [180, 80],
    [-90, 80],
    [0, 80],
  ];
  expect(
    problems(
      collection(
        feature({ type: 'MultiPolygon', coordinates: [[square(8, 47)], [bow]] }),
        feature({ type: 'Polygon', coordinates: [aroundThePole] }, {}),
        feature({ type: 'Polygon', coordinates: [square(8, 47), square(9, 48)] }, { name: 'C' }),
      ),
    ),
  ).toEqual([
    'Feature 1 “A”, part 2 of 2: The edge crosses itself: move a corner.',
    'Feature 2: A zone cannot contain a pole.',
    'Feature 3 “C”: A hole lies inside the edge: move its corners.',
  ]);
});

describe('KML', () => {
  test('polygons with holes, several geometries and data of all kinds are read', () => {
    const inner =
      '<innerBoundaryIs><LinearRing><coordinates>8.6,47.2 8.7,47.2 8.7,47.3 8.6,47.2</coordinates></LinearRing></innerBoundaryIs>';
    const [first, second] = drafts(
      placemark(`<name>Zone &amp; 4</name><description><![CDATA[<b>bold</b>]]></description>
        <ExtendedData><Data name="class"><value>D</value></Data><SchemaData><SimpleData name="code">7</SimpleData></SchemaData></ExtendedData>
        <MultiGeometry>${kmlPolygon('8,47,0 9,47,0 9,48,0 8,47,0', inner)}${kmlPolygon('1,1 2,1 2,2 1,1')}</MultiGeometry>`),
    );
    expect(first).toMatchObject({
      name: 'Zone & 4, part 1 of 2',
      shape: {
        coordinates: [
          [
            [8, 47],
            [9, 47],
            [9, 48],
            [8, 47],
          ],
          [
            [8.6, 47.2],
            [8.7, 47.2],
            [8.7, 47.3],
            [8.6, 47.2],
          ],
        ],
      },
      source: { format: 'kml', words: { name: 'Zone & 4', description: '<b>bold</b>', class: 'D', code: '7' } },
    });
    expect(second?.name).toBe('Zone & 4, part 2 of 2');
  });

  test('pictures are counted as left out', () => {
    const result = imported(
      kml(`<Document><GroundOverlay/><Placemark>${kmlPolygon('8,47 9,47 9,48 8,47')}</Placemark></Document>`),
    );
    expect(result).toMatchObject({ kind: 'zones', leftOut: ['1 picture on the ground'] });
  });

  test.each([
    [
      'entities',
      '<!DOCTYPE kml [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;">]><kml>&b;</kml>',
      /document type or entities/,
    ],
    ['deep nesting', `${'<kml>'.repeat(100_000)}${'</kml>'.repeat(100_000)}`, /more than 100 levels deep/],
    ['half a document', placemark(kmlPolygon('8,47 9,47 9,48 8,47')).slice(0, -30), /no well-formed XML/],
    ['GPX', '<gpx/>', /no KML/],
    ['links', kml('<Document><NetworkLink/></Document>'), /links to other files/],
    ['a track', placemark('<Track/>'), /Placemark 1: has a geometry of the type "Track"/],
    ['nothing', kml('<Document/>'), /has no zones/],
    [
      'words as numbers',
      placemark(kmlPolygon('a,b c,d e,f a,b')),
      /Placemark 1, position 1: has a position that is no pair/,
    ],
    ['huge numbers', placemark(kmlPolygon('1e999,2 3,4 5,6 1e999,2')), /no pair of numbers/],
    ['hexadecimal', placemark(kmlPolygon('0x8,47 9,47 9,48 0x8,47')), /no pair of numbers/],
  ])('%s is refused in words', (_, text, message) => {
    expect(problems(text).join()).toMatch(message);
  });
});

describe('too many zones', () => {
  const many = collection(
    ...Array.from({ length: 1001 }, (_, index) =>
      feature({ type: 'Polygon', coordinates: [square(index / 10, 47, 0.05)] }),
    ),
  );

  test('the file says where they are, and a box chooses', () => {
    const result = imported(many);
    expect(result).toMatchObject({ kind: 'too_many', count: 1001 });
    if (result.kind === 'too_many') expect(result.bounds.east).toBeCloseTo(100.05, 6);
    const box = { west: 10.01, south: 46, east: 10.32, north: 48 };
    expect(drafts(many, { withinBbox: box })).toHaveLength(4);
    expect(problems(many, { withinBbox: { ...box, south: 0, north: 1 } })).toEqual([
      'The file: has no zones that touch the box',
    ]);
  });

  test('problems outside of the box are left with their features', () => {
    const far = feature({ type: 'Polygon', coordinates: [square(100, 0)] }, { name: 'far', lookout_zone: 'damaged' });
    const file = collection(feature(polygon), far);
    expect(problems(file).join()).toMatch(/Feature 2 “far”, lookout_zone/);
    expect(drafts(file, { withinBbox: { west: 7, south: 46, east: 9, north: 48 } })).toHaveLength(1);
    const unread = collection(feature(polygon), feature({ type: 'Polygon', coordinates: 7 }));
    expect(problems(unread, { withinBbox: { west: 7, south: 46, east: 9, north: 48 } })).toHaveLength(1);
  });
});

describe('exports', () => {
  const zone = {
    name: 'Round',
    shape: { type: 'Circle' as const, centre: [8.5, 47.4] as [number, number], radius_m: 1000 },
    vertical: null,
    hours: null,
    rules: [],
    source: null,
  };

  test('a circle that another program edited comes back as the edited polygon', () => {
    const file = JSON.parse(writeGeojson([zone]));
    expect(drafts(file)[0]).toMatchObject({ shape: zone.shape, source: null });
    file.features[0].geometry.coordinates = [square(8, 47)];
    expect(drafts(file)[0]?.shape).toEqual(polygon);
  });

  test('six decimals and added heights are no edit', () => {
    const file = JSON.parse(writeGeojson([zone]));
    file.features[0].geometry.coordinates[0] = file.features[0].geometry.coordinates[0].map((position: number[]) => [
      ...position.map((deg) => Number(deg.toFixed(6))),
      0,
    ]);
    expect(drafts(file)[0]?.shape).toEqual(zone.shape);
  });

  test('an edited corridor keeps its width', () => {
    const corridor = {
      ...zone,
      shape: {
        type: 'Corridor' as const,
        line: [
          [8, 47],
          [9, 47],
        ] as [number, number][],
        half_width_m: 500,
      },
    };
    const file = JSON.parse(writeGeojson([corridor]));
    file.features[0].geometry.coordinates[1] = [9, 48];
    expect(drafts(file)[0]?.shape).toEqual({
      type: 'Corridor',
      line: [
        [8, 47],
        [9, 48],
      ],
      half_width_m: 500,
    });
  });

  test('shapes across 180° are cut there, edges run counter-clockwise', () => {
    const across = {
      ...zone,
      shape: {
        type: 'Polygon' as const,
        coordinates: [
          [
            [179, 10],
            [179, 12],
            [-179, 12],
            [-179, 10],
            [179, 10],
          ],
        ] as [number, number][][],
      },
    };
    const { geometry } = JSON.parse(writeGeojson([across])).features[0];
    expect(geometry).toEqual({
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [179, 10],
            [180, 10],
            [180, 12],
            [179, 12],
            [179, 10],
          ],
        ],
        [
          [
            [-180, 10],
            [-179, 10],
            [-179, 12],
            [-180, 12],
            [-180, 10],
          ],
        ],
      ].map((rings) => rings.map((ring) => expect.arrayContaining(ring))),
    });
    expect(drafts(writeKml([across]))[0]?.shape).toEqual(across.shape);
  });

  test('KML shows names and words of hostile content as text', () => {
    const hostile = {
      ...zone,
      name: '<b>&"',
      source: { format: 'kml' as const, file: ']]>', imported_at: '', words: { a: '\uFFFF\u0085</value>' } },
    };
    expect(drafts(writeKml([hostile]))[0]).toMatchObject({ name: '<b>&"', source: hostile.source });
  });
});
