import { describe, expect, test } from 'vitest';
import { writeGeojson } from './geojson.ts';
import { drafts, imported, problems, questions, square } from './import-file.fixture.ts';
import { writeKml } from './kml.ts';

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

  test('the width of lines and the radius of points are questions; leaving them out is listed', () => {
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
      leftOut: [
        'Feature 2 “L”: is a line, left out as you chose',
        'Feature 3 “P”: is a point, left out as you chose',
        'Feature 4 “A”: is a point, left out as you chose',
      ],
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
    [collection(feature(null)), /has no zones.*Feature 1 “A”: has no geometry/],
    [collection({ type: 'Feature', properties: { name: 'A' } }), /^Feature 1 “A”: has no geometry/],
    [collection(), /has no zones/],
    [{ type: 'Topology' }, /TopoJSON/],
    [{ type: 'FeatureCollection' }, /without features/],
    [{ type: 'featurecollection', features: [] }, /no GeoJSON: its type is "featurecollection"/],
    [{ name: 'package' }, /no GeoJSON: its type is null/],
    [collection(collection(feature(polygon))), /Feature 1: has the type "FeatureCollection", not "Feature"/],
    [feature({ type: 'MultiPolygon', coordinates: 7 }), /is a MultiPolygon without parts/],
    [feature({ type: 'Polygon', coordinates: [[], square(8, 47)] }), /ring 1: has 0 different corners, where 3/],
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
      /has 2 different corners, where 3 are needed/,
    ],
    ['{"type":"FeatureCollection","features":[', /Line 1: ends the file within a value: it is cut short/],
    ['{"type":"Polygon",\n"coordinates":[[[NaN,8]]]}', /Line 2: has “NaN”, which is no value in JSON/],
    ['{"type":"Feature",\n"geometry":null,\n}', /Line 3: has “}”, where a name in quotes is needed/],
    ["{'type':'Feature'}", /Line 1: has “'type'”, where a name in quotes is needed/],
    ['{"name":"a\nb"}', /Line 1: has a line break or tab within a text/],
    ['hello', /none of GeoJSON, KML, ED-269, ED-318 and OpenAir/],
    ['', /none of GeoJSON/],
    ['PK\u0003\u0004', /KMZ/],
    [Uint8Array.of(0x1f, 0x8b, 8, 0), /archive; unpack it/],
    [Uint8Array.of(0x7b, 0x0a, 0xff, 0x7d), /Line 2: has bytes that are no UTF-8/],
    ['<!DOCTYPE html><html><body>Sign in</body></html>', /^The file: is a web page/],
    [Uint8Array.of(0x89, 0x50, 0x4e, 0x47), /is none of GeoJSON/],
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

describe('valid GeoJSON without positions', () => {
  test.each([
    ['a null geometry', null, 'has no geometry'],
    ['an empty polygon', { type: 'Polygon', coordinates: [] }, 'has a Polygon without positions'],
    ['an empty ring', { type: 'Polygon', coordinates: [[]] }, 'has a Polygon without positions'],
    [
      'an empty collection',
      { type: 'GeometryCollection', geometries: [] },
      'has a GeometryCollection without positions',
    ],
    ['an empty point', { type: 'Point', coordinates: [] }, 'has a Point without positions'],
  ])('%s is left out by name, and the rest is read', (_, geometry, what) => {
    const result = imported(collection(feature(geometry, { name: 'Bern' }), feature(polygon)));
    expect(result).toMatchObject({ kind: 'zones', drafts: [{ name: 'A' }], leftOut: [`Feature 1 “Bern”: ${what}`] });
  });

  test('parts without positions are left out by their place', () => {
    const parts = { type: 'GeometryCollection', geometries: [null, polygon] };
    expect(imported(feature(parts))).toMatchObject({
      drafts: [{ name: 'A', shape: polygon }],
      leftOut: ['Feature 1 “A”, part 1: has no geometry'],
    });
  });

  test('properties that are null, numeric ids, bounding boxes and null heights are read', () => {
    const file = {
      type: 'FeatureCollection',
      bbox: [8, 47, 8.1, 47.1],
      features: [
        {
          type: 'Feature',
          id: 7,
          properties: null,
          geometry: { type: 'Polygon', coordinates: [square(8, 47).map((position) => [...position, null])] },
        },
      ],
    };
    expect(imported(file)).toMatchObject({ drafts: [{ name: 'Feature 1', shape: polygon }], leftOut: [], changed: [] });
  });
});

describe('what an import changes is listed, and kept in the words of the zone', () => {
  test('a ring that is not closed', () => {
    const open = { type: 'Polygon', coordinates: [square(8, 47).slice(0, -1), square(8.02, 47.02, 0.02).slice(0, -1)] };
    const result = imported(feature(open));
    expect(result).toMatchObject({
      drafts: [{ shape: { coordinates: [square(8, 47), square(8.02, 47.02, 0.02)] } }],
      changed: [
        expect.stringMatching(/^Feature 1 “A”, ring 1: is not closed/),
        expect.stringMatching(/^Feature 1 “A”, ring 2: is not closed/),
      ],
    });
    if (result.kind === 'zones')
      expect(result.drafts[0]?.source?.words['lookout: changed']).toBe(result.changed.join('; '));
  });

  test('heights, an uncut edge across 180°, and a coordinate system that nearly is WGS 84', () => {
    const high = feature({ type: 'Polygon', coordinates: [square(8, 47).map((position) => [...position, 120])] });
    const across = feature({
      type: 'Polygon',
      coordinates: [
        [
          [179, 1],
          [-179, 1],
          [-179, 2],
          [179, 1],
        ],
      ],
    });
    const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::4258' } };
    expect(imported({ ...collection(high, across), crs })).toMatchObject({
      changed: [
        expect.stringMatching(/^The file: states the coordinate system urn:ogc:def:crs:EPSG::4258/),
        'Feature 1 “A”: has heights in its positions, which are not read as limits of the zone',
        'Feature 2 “A”: goes from the longitude 179 to -179, which is read as the shorter way around the Earth',
      ],
    });
  });
});

describe('longitudes beyond 180°', () => {
  const shape = (ring: number[][]) => drafts(feature({ type: 'Polygon', coordinates: [ring] }))[0]?.shape;

  test('run on to 360° either way, and make the same zone', () => {
    const expected = shape([
      [179, 10],
      [-179, 10],
      [-179, 11],
      [179, 11],
      [179, 10],
    ]);
    expect(
      shape([
        [179, 10],
        [181, 10],
        [181, 11],
        [179, 11],
        [179, 10],
      ]),
    ).toEqual(expected);
    expect(
      shape([
        [-181, 10],
        [-179, 10],
        [-179, 11],
        [-181, 11],
        [-181, 10],
      ]),
    ).toEqual(expected);
    expect(
      drafts(
        feature({
          type: 'LineString',
          coordinates: [
            [170, 1],
            [190, 2],
          ],
        }),
        { answers: { lines: 9 } },
      ),
    ).toMatchObject([
      {
        shape: {
          line: [
            [170, 1],
            [-170, 2],
          ],
        },
      },
    ]);
  });

  test('that jump from 180 to -180 at one place are no edge', () => {
    const ring = [
      [179, 10],
      [180, 10],
      [-180, 10],
      [-179, 10],
      [-179, 11],
      [-180, 11],
      [180, 11],
      [179, 11],
      [179, 10],
    ];
    expect(imported(feature({ type: 'Polygon', coordinates: [ring] }))).toMatchObject({
      drafts: [{ shape: { coordinates: [ring.filter((_, index) => index !== 2 && index !== 6)] } }],
      changed: [],
    });
  });

  test('a box around the Earth is refused as such', () => {
    const world = [square(-180, -80, 360).map(([lon, lat]) => [lon, Math.min(lat, 80)])];
    expect(problems(feature({ type: 'Polygon', coordinates: world }))).toEqual([
      'Feature 1 “A”: has all corners at the longitude 180: a zone is less than 180° wide, and no line',
    ]);
  });

  test('by the last digits are 180°', () => {
    expect(
      shape([
        [179, 10],
        [180.0000001, 10],
        [180.0000001, 11],
        [179, 10],
      ]),
    ).toEqual(
      shape([
        [179, 10],
        [180, 10],
        [180, 11],
        [179, 10],
      ]),
    );
  });

  test.each([
    [[540, 10], /^Feature 1 “A”: has the position 540, 10, .*540 is beyond 360°$/],
    [[-1000, 10], /-1000 is beyond 360°$/],
    [[8, 91], /91 is beyond 90°/],
    [[47, 139.7], /139.7 is beyond 90°; the longitude comes first$/],
    [[2_600_000, 1_200_000], /2600000, 1200000, .*no degrees; save the file in WGS 84/],
    [[890_555.9, 5_942_000], /save the file in WGS 84/],
    [['8.5', '47.4'], /no pair of numbers: \["8.5","47.4"\]/],
  ])('%j is refused for its cause', (position, message) => {
    expect(problems(feature({ type: 'Point', coordinates: position }), { answers: { points: 10 } }).join()).toMatch(
      message,
    );
  });

  test.each([
    [{ type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } }, undefined],
    [{ type: 'name', properties: { name: 'EPSG:4326' } }, undefined],
    [null, undefined],
    [{ type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::2056' } }, /EPSG::2056; save the file in WGS 84/],
    [{ type: 'link', properties: { href: 'http://x.example' } }, /"link".*save the file in WGS 84/],
  ])('the coordinate system %j is read only if it is WGS 84', (crs, message) => {
    const file = { ...collection(feature(polygon)), crs };
    if (message) expect(problems(file).join()).toMatch(message);
    else expect(drafts(file)).toHaveLength(1);
  });
});

describe('lists of features', () => {
  const lines = [feature(polygon), feature(polygon, { name: 'B' })].map((each) => JSON.stringify(each));

  test.each([
    ['one a line', `${lines.join('\r\n')}\r\n`],
    ['after record separators', lines.map((line) => `\u001E${line}\n`).join('')],
    ['in a bare list', `[${lines.join()}]`],
    ['without the type of a collection', `{"features":[${lines.join()}]}`],
    ['in UTF-16', Uint8Array.from(Buffer.from(`\uFEFF[${lines.join()}]`, 'utf16le'))],
  ])('%s are read', (_, file) => {
    expect(drafts(file).map(({ name }) => name)).toEqual(['A', 'B']);
  });

  test('a faulty line is named', () => {
    expect(problems([lines[0], '', '{"type":', lines[1]].join('\n'))).toEqual([
      'Line 3: ends the file within a value: it is cut short',
    ]);
  });
});

test('closed lines are one question: an area, or a strip', () => {
  const ring = { type: 'LineString', coordinates: square(8, 47) };
  const bow = {
    type: 'LineString',
    coordinates: [
      [8, 47],
      [9, 48],
      [9, 47],
      [8, 48],
      [8, 47],
    ],
  };
  const file = collection(feature(ring), feature(bow, { name: 'B' }));
  expect(questions(file)).toEqual({ closed_lines: ['Feature 1 “A”', 'Feature 2 “B”'] });
  expect(drafts(feature(ring), { answers: { closed_lines: 'area' } })[0]?.shape).toEqual(polygon);
  expect(problems(file, { answers: { closed_lines: 'area' } }).join()).toMatch(
    /^Feature 2 “B”: The edge crosses itself/,
  );
  expect(questions(file, { answers: { closed_lines: 'line' } })).toEqual({ lines: ['Feature 1 “A”', 'Feature 2 “B”'] });
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
    expect(result).toMatchObject({ kind: 'zones', leftOut: ['The file: has 1 picture on the ground'] });
  });

  test.each([
    [
      'entities',
      '<!DOCTYPE kml [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;">]><kml>&b;</kml>',
      /document type or entities/,
    ],
    ['deep nesting', `${'<kml>'.repeat(100_000)}${'</kml>'.repeat(100_000)}`, /more than 100 levels deep/],
    ['half a document', placemark(kmlPolygon('8,47 9,47 9,48 8,47')).slice(0, -30), /Line 1: .* the file is cut short/],
    ['GPX', '<gpx/>', /no KML: its first element is <gpx>/],
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
