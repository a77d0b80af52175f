import { describe, expect, test } from 'vitest';
import { distanceM } from '#lib/geo/great-circle.ts';
import { drafts, imported, problems, questions } from './import-file.fixture.ts';

const SQUARE = 'DP 47:00:00 N 008:00:00 E\nDP 47:00:00 N 009:00:00 E\nDP 48:00:00 N 009:00:00 E\n';
const airspace = (limits: string, geometry = SQUARE) => `AC D\nAN CTR Test\n${limits}\n${geometry}`;

function farthestAndNearestM([lon, lat]: [number, number], ring: readonly (readonly number[])[]): [number, number] {
  const all = ring.map(([x, y]) => distanceM({ lon, lat }, { lon: x as number, lat: y as number }));
  return [Math.max(...all), Math.min(...all)];
}

test('comments, blank lines, other spellings and repeated corners change nothing', () => {
  const plain = drafts(airspace('AL GND\nAH 2500ft AMSL'));
  const busy = drafts(
    '\uFEFF* VERSION: 2.0\r\n\r\nAC D\r\nAN CTR Test\r\nSP 0,1,255,0,0\r\nal gnd\r\nAH  2500 FT MSL * of the day\r\n' +
      'DP 47:00.000N 008:00.000E\r\nDP 47:00:00N 008:00:00E\r\n\r\n* corner\r\nDP 47N,9E\r\nDP 48:00:00 N  009:00:00 E\r\nDP 47:00:00 N 008:00:00 E\r\n',
  );
  expect(busy[0]?.shape).toEqual(plain[0]?.shape);
  expect(plain[0]).toMatchObject({
    name: 'CTR Test',
    shape: {
      type: 'Polygon',
      coordinates: [
        [
          [8, 47],
          [9, 47],
          [9, 48],
          [8, 47],
        ],
      ],
    },
    vertical: { field: 'altitude_m', floor_m: null, ceiling_m: 762, unknown: 'flagged' },
    hours: null,
    source: { format: 'openair', words: { AC: 'D', AN: 'CTR Test', AL: 'GND', AH: '2500ft AMSL' } },
  });
});

describe('limits', () => {
  const vertical = (limits: string, options = {}) => drafts(airspace(limits), options)[0]?.vertical;

  test.each([
    ['AL GND\nAH UNL', null],
    ['AH UNLIM', null],
    ['AL SFC\nAH 500ft AGL', { field: 'height_agl_m', floor_m: 0, ceiling_m: 152.4 }],
    ['AL 500 GND\nAH 300m ASFC', { field: 'height_agl_m', floor_m: 152.4, ceiling_m: 300 }],
    ['AL 1500 AMSL\nAH 4500F MSL', { field: 'altitude_m', floor_m: 457.2, ceiling_m: 1371.6 }],
    ['AH 100m AGL', { field: 'height_agl_m', floor_m: null, ceiling_m: 100 }],
    ['AL 0\nAH 3,500ft AMSL', { field: 'altitude_m', floor_m: null, ceiling_m: 1066.8 }],
    ['AL SFC.\nAH 3500 ft. AGL', { field: 'height_agl_m', floor_m: 0, ceiling_m: 1066.8 }],
    ['AL 0 ft\nAH 3500 FT. MSL.', { field: 'altitude_m', floor_m: null, ceiling_m: 1066.8 }],
    ["AL gnd agl\nAH 3'500 feet amsl", { field: 'altitude_m', floor_m: null, ceiling_m: 1066.8 }],
    ['AL 1 500 ft.AMSL\nAH MSL 3500ft', { field: 'altitude_m', floor_m: 457.2, ceiling_m: 1066.8 }],
    ['AL 500ft A.G.L.\nAH 300 metres AGL', { field: 'height_agl_m', floor_m: 152.4, ceiling_m: 300 }],
    ['AH 2500ft ALT', { field: 'altitude_m', floor_m: null, ceiling_m: 762 }],
    ['AL GND\nAH UNL.', null],
  ])('%j', (limits, expected) => {
    if (expected === null) expect(vertical(limits)).toBeNull();
    else expect(vertical(limits)).toMatchObject(expected);
  });

  test('a flight level is a limit only if the operator says so', () => {
    const file = airspace('AL 1000ft AMSL\nAH FL65');
    expect(questions(file)).toEqual({ flight_levels: ['Line 4: FL65'] });
    const [open] = drafts(file, { answers: { flight_levels: 'open' } });
    expect(open?.vertical).toMatchObject({ floor_m: 304.8, ceiling_m: null });
    expect(open?.source?.words.AH).toBe('FL65');
    expect(vertical('AL 1000ft AMSL\nAH 6500ft STD', { answers: { flight_levels: 'standard' } })).toMatchObject({
      field: 'altitude_m',
      ceiling_m: 1981.2,
    });
  });

  test.each(['FL95', 'FL 95', 'fl095', '95FL', '95 FL', 'FL95.', 'FL 95 STD', '9,500ft STD'])(
    'the flight level %j is a question',
    (level) => {
      expect(questions(airspace(`AH ${level}`))).toEqual({ flight_levels: [`Line 3: ${level}`] });
      expect(vertical(`AH ${level}`, { answers: { flight_levels: 'standard' } })).toMatchObject({ ceiling_m: 2895.6 });
    },
  );

  test('heights without a reference are one question', () => {
    const file = `${airspace('AL 1000ft\nAH 2500')}\n${airspace('AH 300m')}`;
    expect(questions(file)).toEqual({ reference: ['Line 3: 1000ft', 'Line 4: 2500', 'Line 11: 300m'] });
    expect(drafts(file, { answers: { reference: 'amsl' } }).map((draft) => draft.vertical)).toMatchObject([
      { field: 'altitude_m', floor_m: 304.8, ceiling_m: 762 },
      { field: 'altitude_m', ceiling_m: 300 },
    ]);
    expect(drafts(file, { answers: { reference: 'agl' } })[1]?.vertical).toMatchObject({ field: 'height_agl_m' });
  });

  test('points before three digits are one question', () => {
    const file = airspace('AL 1.500 ft AMSL\nAH 3.500ft AMSL');
    expect(questions(file)).toEqual({ point: ['Line 3: 1.500 ft AMSL', 'Line 4: 3.500ft AMSL'] });
    expect(drafts(file, { answers: { point: 'thousands' } })[0]?.vertical).toMatchObject({
      floor_m: 457.2,
      ceiling_m: 1066.8,
    });
    expect(drafts(file, { answers: { point: 'decimals' } })[0]?.vertical).toMatchObject({
      floor_m: 0.457,
      ceiling_m: 1.067,
    });
  });

  test.each([
    ['AH FL65 AMSL', /^Line 3: is “FL65 AMSL”, which is no height/],
    ['AH AGL 500 AMSL', /^Line 3: is “AGL 500 AMSL”, which is no height/],
    ['AH BY NOTAM', /^Line 3: is “BY NOTAM”, which is no height/],
    ['AH GND\nAH 100m AGL', /^Line 4: is a second AH/],
    [`AH ${' '.repeat(40)}1${' '.repeat(1500)}x`, /^Line 3: is “1 /],
  ])('%j is refused', (limits, message) => {
    expect(problems(airspace(limits)).join()).toMatch(message);
  });
});

describe('shapes', () => {
  const shape = (geometry: string) => drafts(airspace('AL GND', geometry))[0]?.shape;

  test('a circle, two circles as two zones, and an airway', () => {
    expect(shape('V X=47:27:00 N 008:33:00 E\nDC 2.5')).toEqual({
      type: 'Circle',
      centre: [8.55, 47.45],
      radius_m: 4630,
    });
    const two = drafts(airspace('AL GND', 'V X=47:27:00 N 008:33:00 E\nDC 1\nV X=48:00:00 N 008:33:00 E\nDC 1'));
    expect(two.map(({ name }) => name)).toEqual(['CTR Test, part 1 of 2', 'CTR Test, part 2 of 2']);
    expect(shape('V W=10\nDY 47:00:00 N 008:00:00 E\nDY 48:00:00 N 008:00:00 W')).toEqual({
      type: 'Corridor',
      line: [
        [8, 47],
        [-8, 48],
      ],
      half_width_m: 9260,
    });
  });

  test('arcs between bearings go clockwise unless V D=- turns them', () => {
    const centre: [number, number] = [8, 47];
    const quarter = shape('V X=47:00:00 N 008:00:00 E\nDA 10, 0, 90\nDP 47:00:00 N 008:00:00 E');
    if (quarter?.type !== 'Polygon') throw new Error('no polygon');
    const arc = quarter.coordinates[0]?.slice(0, 31) ?? [];
    const [farM, nearM] = farthestAndNearestM(centre, arc);
    expect([farM, nearM].map((m) => Math.round(m))).toEqual([18_520, 18_520]);
    expect(arc.every(([lon = 0, lat = 0]) => lon >= 8 && lat >= 46.99)).toBe(true);
    const rest = shape('V X=47:00:00 N 008:00:00 E\nV D=-\nDA 10, 0, 90\nDP 47:00:00 N 008:00:00 E');
    if (rest?.type !== 'Polygon') throw new Error('no polygon');
    expect(rest.coordinates[0]?.length).toBeGreaterThan(90);
  });

  test('an arc between positions keeps them and stays at their distance', () => {
    const half = shape('V X=47:00:00 N 008:00:00 E\nDB 47:10:00 N 008:00:00 E, 46:50:00 N 008:00:00 E');
    if (half?.type !== 'Polygon') throw new Error('no polygon');
    const ring = half.coordinates[0] ?? [];
    expect(ring[0]).toEqual([8, 47 + 10 / 60]);
    expect(ring.at(-2)?.[1]).toBeCloseTo(46 + 50 / 60, 9);
    const [farM, nearM] = farthestAndNearestM([8, 47], ring);
    expect(farM - nearM).toBeLessThan(1);
    expect(ring.every(([lon = 0]) => lon >= 8)).toBe(true);
  });

  test.each([
    'N47:00:00 E008:00:00',
    '47 00 00 N 008 00 00 E',
    `47°00'00"N 008°00'00"E`,
    '470000N 0080000E',
    '46:59:60 N 007:60:00 E',
    '47:00.000 n 8:00.0 e',
  ])('the position %j is read', (position) => {
    expect(shape(`V D = +\nV X = ${position}\nDC 1`)).toMatchObject({ centre: [8, 47] });
  });

  test('distances may have a decimal comma and a unit', () => {
    for (const distance of ['2.5', '2,5', '2.5 NM'])
      expect(shape(`V X=47:00:00 N 008:00:00 E\nDC ${distance}`)).toMatchObject({ radius_m: 4630 });
  });

  test('longitudes run on past 180°', () => {
    expect(shape('V X=10:00:00 N 190:00:00 E\nDC 1')).toMatchObject({ centre: [-170, 10] });
  });

  test('direction and centre end with their airspace', () => {
    const first = airspace('AL GND', 'V X=47:00:00 N 008:00:00 E\nV D=-\nDC 5');
    expect(problems(`${first}\n${airspace('AL GND', 'DC 5')}`)).toEqual([
      'Line 10: has DC without a centre (V X=) before it',
    ]);
  });

  test.each([
    ['DP 47:61:00 N 008:00:00 E', /^Line 4: has the position “47:61:00 N/],
    ['DP 91:00:00 N 008:00:00 E', /^Line 4: has the position 8, 91, .*91 is beyond 90°/],
    ['DP 10:00:00 N 540:00:00 E', /^Line 4: has the position 540, 10, .*540 is beyond 360°/],
    ['DP 47.5 8.5', /^Line 4: has the position “47.5 8.5”/],
    ['V X=47:00:00 N 008:00:00 E\nDC 0', /^Line 5: has the distance “0”/],
    ['V X=47:00:00 N 008:00:00 E\nDA 5, 270', /^Line 5: is “5, 270”, where a radius and two bearings/],
    ['V D=left', /^Line 4: has the direction “left”/],
    ['V Q=1', /^Line 4: sets “Q=1”/],
    ['DY 47:00:00 N 008:00:00 E\nDY 48:00:00 N 008:00:00 E', /without a width/],
    ['DP 47:00:00 N 008:00:00 E\nDP 47:00:00 N 009:00:00 E', /has 2 corners, where 3 are needed/],
    ['', /“CTR Test”: has no geometry/],
    ['TO Lake', /begins terrain/],
    ['HELLO', /is “HELLO”, which OpenAir does not define/],
  ])('%j is refused with its line', (geometry, message) => {
    expect(problems(airspace('AL GND', geometry)).join()).toMatch(message);
  });
});

test('activation times are hours; those of a NOTAM are a question', () => {
  const spans = 'AA 2026-12-16T12:00Z/2026-12-16T13:00Z ; noon\nAA 2026-12-17T00:00Z/2026-12-17T24:00Z';
  expect(drafts(airspace(spans)).map(({ hours }) => hours)).toEqual([
    { time_zone: 'UTC', from: '2026-12-16T12:00', to: '2026-12-16T13:00' },
    { time_zone: 'UTC', from: '2026-12-17T00:00', to: '2026-12-18T00:00' },
  ]);
  expect(drafts(airspace('AA 2026-01-01T00:00Z/NONE'))[0]?.hours).toBeNull();
  expect(questions(airspace('AA NONE'))).toEqual({ hours: ['Line 3: times that other publications state'] });
  expect(drafts(airspace('AA NONE'), { answers: { hours: 'widen' } })[0]?.hours).toBeNull();
  expect(problems(airspace('AA tomorrow')).join()).toMatch(/^Line 3: is “tomorrow”, which is no time span/);
});

test('lines end with LF, CR LF or CR, and commands are read in lower case', () => {
  const file = airspace('AL GND').replace('AN', 'an');
  const [expected] = drafts(file);
  for (const end of ['\r\n', '\r']) expect(drafts(file.replaceAll('\n', end))).toEqual([expected]);
});

test('an airspace without a name has its line', () => {
  expect(drafts(airspace('AL GND').replace('AN CTR Test\n', ''))[0]?.name).toBe('Line 1');
});

test('names in Windows-1252 are read, which the import says', () => {
  const bytes = Uint8Array.from(airspace('AL GND').replace('CTR Test', 'Z\u00FCrich'), (character) =>
    character.charCodeAt(0),
  );
  expect(imported(bytes)).toMatchObject({
    drafts: [{ name: 'Zürich' }],
    changed: ['The file: is not in UTF-8, and is read in Windows-1252; check the names'],
  });
});

test('lines before the first airspace are refused', () => {
  expect(problems(`hello\n${airspace('AL GND')}`)).toEqual(['Line 1: is “hello”, before the first airspace (AC)']);
});
