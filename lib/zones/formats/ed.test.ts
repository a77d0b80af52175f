import { describe, expect, test } from 'vitest';
import { drafts, imported, problems, questions, square } from './import-file.fixture.ts';

const permanent = [{ permanent: 'YES' }];
const polygon = { type: 'Polygon', coordinates: [square(8, 47)] };
const volume = (fields: object = {}) => ({ uomDimensions: 'M', horizontalProjection: polygon, ...fields });
const feature269 = (fields: object = {}) => ({
  identifier: 'CH-1',
  country: 'CHE',
  name: 'Reserve',
  restriction: 'REQ_AUTHORISATION',
  applicability: permanent,
  geometry: [volume()],
  ...fields,
});
const ed269 = (...features: object[]) => ({ title: 'Zones of today', features });
const limits = (lower: unknown, lowerReference: string, upper: unknown, upperReference: string) => ({
  lowerLimit: lower,
  lowerVerticalReference: lowerReference,
  upperLimit: upper,
  upperVerticalReference: upperReference,
});

const layer = { lower: 0, lowerReference: 'AGL', upper: 400, upperReference: 'AGL', uom: 'ft' };
const feature318 = (
  fields: object = {},
  geometry: object = { type: 'Polygon', coordinates: [square(8, 47)], layer },
) => ({
  type: 'Feature',
  properties: { identifier: 'U1', country: 'IRL', type: 'PROHIBITED', variant: 'COMMON', zoneAuthority: [], ...fields },
  geometry,
});
const ed318 = (...features: object[]) => ({ type: 'FeatureCollection', features });

describe('limits', () => {
  const vertical = (fields: object, options = {}) =>
    drafts(ed269(feature269({ geometry: [volume(fields)] })), options)[0]?.vertical;

  test('absent ones are not stated, and 0 is 0', () => {
    expect(vertical({})).toBeNull();
    expect(vertical(limits(null, 'AGL', null, 'AGL'))).toBeNull();
    expect(vertical(limits(0, 'AGL', 120, 'AGL'))).toMatchObject({ field: 'height_agl_m', floor_m: 0, ceiling_m: 120 });
    expect(vertical({ upperLimit: 120, upperVerticalReference: 'AGL' })).toMatchObject({
      floor_m: null,
      ceiling_m: 120,
    });
    expect(vertical({ lowerLimit: 0, lowerVerticalReference: 'AGL' })).toMatchObject({ floor_m: 0, ceiling_m: null });
  });

  test('99999 means none in both references, and from the ground to none is every height', () => {
    expect(vertical(limits(100, 'AGL', 99_999, 'AGL'))).toMatchObject({ floor_m: 100, ceiling_m: null });
    expect(vertical(limits(0, 'AGL', 99_999, 'AMSL'))).toBeNull();
    const [draft] = drafts(ed269(feature269({ geometry: [volume(limits(0, 'AGL', 99_999, 'AMSL'))] })));
    expect(draft?.source?.words).toMatchObject({ 'geometry.upperLimit': '99999', 'geometry.lowerLimit': '0' });
  });

  test('above sea level is the altitude, and the ground below it is no floor in another field', () => {
    expect(vertical(limits(0, 'AGL', 1500, 'AMSL'))).toEqual({
      field: 'altitude_m',
      floor_m: null,
      ceiling_m: 1500,
      unknown: 'flagged',
    });
  });

  test('feet become metres', () => {
    expect(vertical({ uomDimensions: 'FT', ...limits(0, 'AGL', 400, 'AGL') })).toMatchObject({ ceiling_m: 121.92 });
  });

  test('a floor above ground and a ceiling above sea level need a choice', () => {
    const file = ed269(feature269({ geometry: [volume(limits(120, 'AGL', 1500, 'AMSL'))] }));
    expect(questions(file)).toEqual({ heights: ['Feature 1 “Reserve”, geometry 1'] });
    const [ceiling] = drafts(file, { answers: { heights: 'ceiling' } });
    expect(ceiling?.vertical).toMatchObject({ field: 'altitude_m', floor_m: null, ceiling_m: 1500 });
    expect(ceiling?.source?.words['lookout: floor']).toMatch(/120 m in height_agl_m, left out/);
    const [floor] = drafts(file, { answers: { heights: 'floor' } });
    expect(floor?.vertical).toMatchObject({ field: 'height_agl_m', floor_m: 120, ceiling_m: null });
  });

  test.each([
    [limits(0, 'AGL', 100, 'WGS84'), /upperLimit: has the reference "WGS84".*AGL.*AMSL/],
    [{ upperLimit: 100 }, /upperLimit: has the reference null/],
    [limits('low', 'AGL', 100, 'AGL'), /lowerLimit: is "low", which is no number/],
    [{ uomDimensions: 'FURLONG', ...limits(0, 'AGL', 100, 'AGL') }, /has the unit "FURLONG"/],
    [limits(0, 'AGL', 1e300, 'AGL'), /beyond the heights/],
    [limits(200, 'AGL', 100, 'AGL'), /floor of 200 m above its ceiling of 100 m/],
  ])('%j is refused with its place', (fields, message) => {
    expect(problems(ed269(feature269({ geometry: [volume(fields)] }))).join()).toMatch(message);
  });
});

describe('shapes', () => {
  test('each volume is a zone named by its feature and part, and holes stay', () => {
    const hole = square(8.02, 47.02, 0.02).reverse();
    const withHole = { type: 'Polygon', coordinates: [square(8, 47), hole] };
    const [first, second] = drafts(
      ed269(
        feature269({ geometry: [volume({ horizontalProjection: withHole }), volume(limits(0, 'AGL', 50, 'AGL'))] }),
      ),
    );
    expect([first?.name, second?.name]).toEqual(['Reserve, part 1 of 2', 'Reserve, part 2 of 2']);
    expect(first?.shape).toEqual(withHole);
    expect([first?.vertical, second?.vertical?.ceiling_m]).toEqual([null, 50]);
  });

  test('centre is read in both spellings', () => {
    for (const key of ['center', 'centre']) {
      const circle = { type: 'Circle', [key]: [8.5, 47.4], radius: 500 };
      const [draft] = drafts(ed269(feature269({ geometry: [volume({ horizontalProjection: circle })] })));
      expect(draft?.shape).toEqual({ type: 'Circle', centre: [8.5, 47.4], radius_m: 500 });
    }
  });

  test('the unit of a radius in a volume in feet is a question', () => {
    const circle = { type: 'Circle', center: [8.5, 47.4], radius: 1852 };
    const file = ed269(feature269({ geometry: [volume({ uomDimensions: 'FT', horizontalProjection: circle })] }));
    expect(questions(file)).toEqual({ radius: ['Feature 1 “Reserve”, geometry 1, horizontalProjection: radius 1852'] });
    expect(drafts(file, { answers: { radius: 'metres' } })[0]?.shape).toMatchObject({ radius_m: 1852 });
    const [inFeet] = drafts(file, { answers: { radius: 'feet' } });
    expect(inFeet?.shape).toMatchObject({ radius_m: 564.49 });
    expect(inFeet?.source?.words).toMatchObject({ 'geometry.radius': '1852', 'lookout: radius': 'read as feet' });
  });

  test('a ring of one list is read; several problems are listed at once, each with its place', () => {
    const flat = { type: 'Polygon', coordinates: square(8, 47) };
    expect(drafts(ed269(feature269({ geometry: [volume({ horizontalProjection: flat })] })))).toHaveLength(1);
    const few = { type: 'Polygon', coordinates: [square(8, 47).slice(0, 2)] };
    const inMetres = { type: 'Polygon', coordinates: [square(683_000, 247_000)] };
    expect(
      problems(
        ed269(
          feature269({ geometry: [volume({ horizontalProjection: few })] }),
          feature269({ name: 'B', geometry: [volume(), volume({ horizontalProjection: inMetres })] }),
          feature269({ name: 'C', geometry: [] }),
          feature269({ name: 'D', geometry: [volume({ horizontalProjection: { type: 'Ellipse' } })] }),
        ),
      ),
    ).toEqual([
      'Feature 1 “Reserve”, geometry 1, horizontalProjection: has 2 different corners, where 3 are needed',
      expect.stringMatching(
        /^Feature 2 “B”, geometry 2, horizontalProjection, position 1: has the position 683000, 247000.*WGS 84/,
      ),
      'Feature 3 “C”: has no geometry',
      expect.stringMatching(/^Feature 4 “D”, geometry 1, horizontalProjection: has the type "Ellipse"/),
    ]);
  });

  test('ED-318 has layers, circles as points, collections, and its own spelling', () => {
    const circle = {
      type: 'Point',
      coordinates: [15.5, 58.5],
      extent: { subType: 'Circle', radius: 500 },
      layer: { ...layer, uom: 'm' },
    };
    const several = {
      type: 'GeometryCollection',
      layer: { lower: 50, lowerReference: 'AGL', upper: 150, upperReference: 'AGL', uom: 'm' },
      geometries: [
        { type: 'Polygon', coordinates: [square(2, 49)], layer },
        { type: 'MultiPolygon', coordinates: [[square(3, 49)], [square(4, 49)]] },
      ],
    };
    const [plain, round, ...parts] = drafts(
      ed318(
        feature318({
          name: [
            { text: 'Zon', lang: 'se-SE' },
            { text: 'Zone', lang: 'en-GB' },
          ],
          type: 'REQ_AUTHORIZATION',
        }),
        feature318({}, circle),
        feature318({ name: 'Layers' }, several),
      ),
    );
    expect(plain).toMatchObject({ name: 'Zone', vertical: { floor_m: 0, ceiling_m: 121.92 } });
    expect(plain?.source).toMatchObject({
      format: 'ed-318',
      file: 'zones.txt',
      words: { name: 'se-SE: Zon | en-GB: Zone', type: 'REQ_AUTHORIZATION', 'layer.uom': 'ft' },
    });
    expect(round).toMatchObject({ name: 'U1', shape: { type: 'Circle', radius_m: 500 } });
    expect(parts.map(({ name, vertical }) => [name, vertical?.floor_m])).toEqual([
      ['Layers, part 1 of 3', 0],
      ['Layers, part 2 of 3', 50],
      ['Layers, part 3 of 3', 50],
    ]);
  });

  test('a null geometry is left out by name, and null optional fields change nothing', () => {
    const nothing = { name: null, limitedApplicability: null, applicability: null, otherGeometry: null };
    const file = ed318(
      { ...feature318({ name: 'Bern' }), geometry: null },
      feature318(nothing, { type: 'Polygon', coordinates: [square(190, 47)], layer, extent: null }),
    );
    expect(imported(file)).toMatchObject({
      drafts: [{ name: 'U1', hours: null, shape: { coordinates: [square(-170, 47)] } }],
      leftOut: ['Feature 1 “Bern”: has no geometry'],
      changed: [],
    });
  });

  test('a polygon that is cut at 180° is one zone for each layer', () => {
    const parts = {
      type: 'MultiPolygon',
      coordinates: [[square(179, 10, 1)], [square(-180, 10, 1)]],
    };
    const [zone, ...others] = drafts(ed318(feature318({}, { ...parts, layer })));
    expect(others).toEqual([]);
    expect(zone).toMatchObject({ name: 'U1', vertical: { ceiling_m: 121.92 } });
    const layers = {
      type: 'GeometryCollection',
      geometries: [
        { ...parts, layer },
        { ...parts, layer: { ...layer, upper: 800 } },
      ],
    };
    expect(drafts(ed318(feature318({}, layers))).map(({ vertical }) => vertical?.ceiling_m)).toEqual([121.92, 243.84]);
  });

  test('a point without an extent is refused', () => {
    expect(problems(ed318(feature318({}, { type: 'Point', coordinates: [1, 2], layer })))).toEqual([
      'Feature 1 “U1”: is a point with the extent null, where a Circle is needed',
    ]);
  });
});

describe('times', () => {
  const hours = (applicability: unknown, options = {}) =>
    drafts(ed269(feature269({ applicability })), options).map((draft) => draft.hours);

  test('permanent wins over other windows', () => {
    expect(
      hours([{ permanent: 'NO', startDateTime: '2026-12-01T06:00Z', endDateTime: '2026-12-01T18:00Z' }, ...permanent]),
    ).toEqual([null]);
    expect(hours(undefined)).toEqual([null]);
  });

  test('each span of dates is a zone of its own, in UTC', () => {
    const spans = [
      { permanent: 'NO', startDateTime: '2026-12-05T12:00:00+01:00', endDateTime: '2026-12-05T22:59:30Z' },
      { permanent: 'NO', startDateTime: '2026-12-29T11:00Z', endDateTime: '2026-12-30T24:00Z' },
    ];
    expect(drafts(ed269(feature269({ applicability: spans }))).map(({ name, hours: own }) => [name, own])).toEqual([
      ['Reserve, part 1 of 2', { time_zone: 'UTC', from: '2026-12-05T11:00', to: '2026-12-05T23:00' }],
      ['Reserve, part 2 of 2', { time_zone: 'UTC', from: '2026-12-29T11:00', to: '2026-12-31T00:00' }],
    ]);
  });

  test('weekly windows move to UTC with their days', () => {
    const schedule = [
      { day: ['MON'], startTime: '01:00+02:00', endTime: '06:30+02:00' },
      { day: ['SUN'], startTime: '22:00-03:00', endTime: '23:59:59.00-03:00' },
    ];
    expect(hours([{ permanent: 'NO', schedule }])).toEqual([
      {
        time_zone: 'UTC',
        weekly: [
          { days: ['sun'], from: '23:00', to: '04:30' },
          { days: ['mon'], from: '01:00', to: '03:00' },
        ],
      },
    ]);
  });

  test('every day from 00:00 to 23:59 is always', () => {
    expect(hours([{ permanent: 'NO', schedule: [{ day: ['ANY'], startTime: '00:00Z', endTime: '23:59Z' }] }])).toEqual([
      null,
    ]);
  });

  test('times without a zone need one, and keep it', () => {
    const file = ed269(
      feature269({
        applicability: [{ permanent: 'NO', schedule: [{ day: ['FRI', 'SAT'], startTime: '22:00', endTime: '06:00' }] }],
      }),
    );
    expect(questions(file)).toEqual({ time_zone: ['Feature 1 “Reserve”, applicability 1, schedule 1'] });
    expect(drafts(file, { answers: { time_zone: 'Europe/Zurich' } })[0]?.hours).toEqual({
      time_zone: 'Europe/Zurich',
      weekly: [{ days: ['fri', 'sat'], from: '22:00', to: '06:00' }],
    });
    expect(problems(file, { answers: { time_zone: 'Europe/Atlantis' } })).toEqual([
      'The answer: “Europe/Atlantis” is not an IANA time zone; write a name such as Europe/Zurich.',
    ]);
  });

  test('a start in the past without an end has no effect any more; an end alone counts from the import', () => {
    expect(hours([{ startDateTime: '2025-10-27T00:00Z' }])).toEqual([null]);
    expect(hours([{ endDateTime: '2026-12-01T00:00Z' }])).toEqual([
      { time_zone: 'UTC', from: '2026-11-27T09:00', to: '2026-12-01T00:00' },
    ]);
  });

  test.each([
    [
      'windows between dates',
      {
        startDateTime: '2026-01-01T00:00Z',
        endDateTime: '2027-08-31T23:59Z',
        schedule: [{ day: ['MON'], startTime: '06:00Z', endTime: '21:00Z' }],
      },
      { time_zone: 'UTC', weekly: [{ days: ['mon'], from: '06:00', to: '21:00' }] },
    ],
    ['sunrise and sunset', { schedule: [{ day: ['ANY'], startEvent: 'SR', endEvent: 'SS' }] }, null],
    ['a start to come without an end', { startDateTime: '2027-01-01T00:00Z' }, null],
  ])('%s are never silently always', (_, window, wider) => {
    const file = ed318(feature318({ limitedApplicability: [window] }));
    expect(Object.keys(questions(file))).toEqual(['hours']);
    expect(drafts(file, { answers: { hours: 'widen' } })[0]?.hours).toEqual(wider);
  });

  test.each([
    [[{ permanent: 'NO' }], /states no time, and is not permanent/],
    [[{ startDateTime: '2026-12-02T00:00Z', endDateTime: '2026-12-01T00:00Z' }], /ends before it starts/],
    [[{ startDateTime: '2026-06-31T00:00Z', endDateTime: '2026-12-01T00:00Z' }], /has the start "2026-06-31T00:00Z"/],
    [[{ startDateTime: '2026-12-01', endDateTime: '2026-12-02' }], /no date with a time/],
    [[{ startDateTime: '2026-12-01T00:00', endDateTime: '2026-12-02T00:00Z' }], /one of its two times only/],
    [[{ endDateTime: '2026-01-01T00:00Z' }], /ended before this import/],
    [[{ schedule: [{ day: ['FOO'], startTime: '06:00Z', endTime: '07:00Z' }] }], /has the days \["FOO"\]/],
    [[{ schedule: [{ day: ['MON'], startTime: '25:00Z', endTime: '07:00Z' }] }], /no times of day/],
    [[{ schedule: [{ day: ['MON'], startTime: '06:00Z', endTime: '07:00' }] }], /different time zones/],
    [{}, /applicability: is no list/],
  ])('%j is refused', (applicability, message) => {
    expect(problems(ed269(feature269({ applicability }))).join()).toMatch(message);
  });
});

test('a byte order mark, a list of zones under another name, and a bare list are read', () => {
  const text = JSON.stringify(ed269(feature269()));
  expect(drafts(`\uFEFF${text}`)[0]?.source).toMatchObject({
    format: 'ed-269',
    words: { 'document.title': 'Zones of today' },
  });
  expect(drafts({ UASZoneList: [feature269()] })).toHaveLength(1);
  expect(drafts([feature269()])).toHaveLength(1);
});

test('words have room in a request of 64 KiB with 500 corners, and say what they lack', () => {
  const ring = Array.from({ length: 501 }, (_, index) => {
    const angle = ((index % 500) / 500) * 2 * Math.PI;
    return [8.123456789 + 0.1 * Math.cos(angle), 47.123456789 + 0.1 * Math.sin(angle)];
  });
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`"${index}`, '漢']));
  const long = { message: '漢"'.repeat(10_000) };
  const geometry = [volume({ ...many, horizontalProjection: { type: 'Polygon', coordinates: [ring] } })];
  for (const fields of [many, long]) {
    const [draft] = drafts({ ...fields, ...ed269(feature269({ ...fields, geometry })) });
    expect(new TextEncoder().encode(JSON.stringify(draft)).length).toBeLessThan(60_000);
    expect(JSON.stringify(draft?.source?.words)).toMatch(/more fields|20000 characters in the file/);
  }
});

test('limits and times under the names of ED-269 within GeoJSON properties are read', () => {
  const [draft] = drafts(
    ed318({
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [square(25, 58)] },
      properties: {
        identifier: 'EE1',
        country: 'EST',
        zoneAuthority: [],
        geometry: { uomDimensions: 'FT', ...limits(0, 'AGL', 1000, 'AGL') },
        applicability: [
          { permanent: 'NO', startDateTime: '2027-04-01T00:00Z', endDateTime: '2027-05-01T00:00Z', schedule: [] },
        ],
      },
    }),
  );
  expect(draft?.vertical).toMatchObject({ ceiling_m: 304.8 });
  expect(draft?.hours).toEqual({ time_zone: 'UTC', from: '2027-04-01T00:00', to: '2027-05-01T00:00' });
});
