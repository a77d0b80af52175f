import { describe, expect, test } from 'vitest';
import type { Fix, Parsed } from '../fix.ts';
import { type AircraftJsonSettings, makeAircraftJson } from './aircraft-json.ts';
import { at, namedKeyOf } from './named-keys.fixture.ts';
import { EPOCH_S, readsbRow } from './readsb-row.fixture.ts';

type Change = Readonly<Record<string, unknown>>;

function open(settings: Partial<AircraftJsonSettings> = {}) {
  const parser = makeAircraftJson({ feed: 'roof', keyOf: namedKeyOf, ...settings });
  return {
    poll: (seconds: number, rows: readonly Change[], answer: Change = {}): Parsed =>
      parser.parse(
        JSON.stringify({ now: EPOCH_S + seconds, messages: 7, aircraft: rows.map(readsbRow), ...answer }),
        at(seconds),
      ),
  };
}

function only(row: Change, settings: Partial<AircraftJsonSettings> = {}): Fix {
  const { fixes, refused } = open(settings).poll(0, [row]);
  expect(refused).toEqual([]);
  expect(fixes).toHaveLength(1);
  return fixes[0]!;
}

const refusal = (row: Change, settings: Partial<AircraftJsonSettings> = {}) => open(settings).poll(0, [row]).refused;

test('converts readsb’s units to metres, metres per second and milliseconds', () => {
  expect(only({})).toEqual({
    layer: 'adsb',
    trackKey: 'adsb icao:3c66b0',
    feedTimeMs: EPOCH_S * 1000 - 250,
    trackTimeMs: undefined,
    lon: 8.654321,
    lat: 47.123456,
    altitudeM: 11_582.4,
    heightAglM: null,
    speedMps: 231.76,
    headingDeg: 121.25,
    onGround: false,
    origin: 'broadcast',
    accuracyM: 186,
    emergencyState: 'none',
    testBroadcast: false,
  });
});

describe('unknown is null, and never 0', () => {
  test.each<[string, Change, Partial<Fix>]>([
    ['without geometric altitude the barometric one', { alt_geom: undefined }, { altitudeM: 11_277.6 }],
    ['no altitude at all', { alt_geom: undefined, alt_baro: undefined }, { altitudeM: null }],
    ['an altitude of 0 ft is one', { alt_geom: 0 }, { altitudeM: 0 }],
    ['below sea level', { alt_geom: -1000 }, { altitudeM: -304.8 }],
    ['on the ground', { alt_baro: 'ground', alt_geom: undefined }, { altitudeM: null, onGround: true }],
    ['another text is no altitude', { alt_baro: 'high', alt_geom: undefined }, { altitudeM: null, onGround: false }],
    ['an altitude that no transponder can send', { alt_geom: 200_000, alt_baro: 37_000 }, { altitudeM: 11_277.6 }],
    ['no speed', { gs: undefined }, { speedMps: null }],
    ['a speed of 0 is one', { gs: 0 }, { speedMps: 0 }],
    ['a speed that cannot be', { gs: 5000 }, { speedMps: null }],
    [
      'no track: neither the heading in flight nor what readsb computed',
      {
        track: undefined,
        true_heading: 90,
        mag_heading: 91,
        calc_track: 92,
      },
      { headingDeg: null },
    ],
    [
      'on the ground the true heading, if there is no track',
      {
        track: undefined,
        true_heading: 90,
        alt_baro: 'ground',
      },
      { headingDeg: 90 },
    ],
    ['360° is north', { track: 360 }, { headingDeg: 0 }],
    ['a radius of 0 is unknown', { rc: 0 }, { accuracyM: null }],
    ['no radius', { rc: undefined }, { accuracyM: null }],
  ])('%s', (_, row, fix) => {
    expect(only(row)).toMatchObject(fix);
  });
});

describe('identity', () => {
  test.each<[string, Change, string]>([
    ['an ICAO address in capitals is the same', { hex: '3C66B0' }, 'adsb icao:3c66b0'],
    ['another address is unique at its station only', { hex: '~3c66b0', type: 'tisb_trackfile' }, 'adsb ~:roof:3c66b0'],
    ['a made-up address may begin with ff', { hex: '~ff12ab' }, 'adsb ~:roof:ff12ab'],
  ])('%s', (_, row, key) => {
    expect(only(row).trackKey).toBe(key);
  });

  test.each<[string, Change, string]>([
    ['no address', { hex: undefined }, 'no_identity'],
    ['the unassigned address', { hex: '000000' }, 'no_identity'],
    ['no hex digits', { hex: '3c66bx' }, 'no_identity'],
    ['a number', { hex: 3_966_640 }, 'no_identity'],
    ['a drone that DroneScout passes on as an aircraft', { hex: 'FF12AB' }, 'drone_as_aircraft'],
  ])('%s: refused', (_, row, cause) => {
    expect(refusal(row)).toEqual([cause]);
  });
});

describe('place', () => {
  test.each<[string, Change, string]>([
    ['no position', { lat: undefined, lon: undefined }, 'no_position'],
    [
      'an old one in lastPosition',
      {
        lat: undefined,
        lon: undefined,
        lastPosition: { lat: 47, lon: 8, seen_pos: 61 },
      },
      'no_position',
    ],
    ['a rough one from the receiver’s range', { lat: undefined, lon: undefined, rr_lat: 47, rr_lon: 8 }, 'no_position'],
    ['a position of unknown age', { seen_pos: undefined }, 'no_age'],
    ['a position from the time to come', { seen_pos: -3 }, 'no_age'],
    ['an age that is text', { seen_pos: '0.1' }, 'no_age'],
    ['an obstacle', { category: 'C3' }, 'obstacle'],
    ['a line of obstacles', { category: 'C5' }, 'obstacle'],
    ['0,0', { lat: 0, lon: 0 }, 'no_position'],
    ['text', { lat: '47.1' }, 'impossible_value'],
    ['beyond a pole', { lat: 90.1 }, 'impossible_value'],
    ['beyond 180°', { lon: 180.1 }, 'impossible_value'],
  ])('%s: refused', (_, row, cause) => {
    expect(refusal(row)).toEqual([cause]);
  });

  test('accepts positions on the equator and on the prime meridian', () => {
    expect(only({ lat: 0 })).toMatchObject({ lat: 0, lon: 8.654321 });
    expect(only({ lon: 0 })).toMatchObject({ lat: 47.123456, lon: 0 });
  });

  test.each<[string, Change, string]>([
    ['adsb_icao_nt', { type: 'adsb_icao_nt' }, 'broadcast'],
    ['adsr_icao', { type: 'adsr_icao' }, 'rebroadcast'],
    ['tisb_trackfile', { hex: '~2a0001', type: 'tisb_trackfile' }, 'tisb'],
    ['mlat', { type: 'mlat' }, 'mlat'],
    ['other', { type: 'other' }, 'unknown'],
    ['mode_s, which sends none itself', { type: 'mode_s' }, 'unknown'],
    ['dump1090-fa: lat is among what was measured', { type: 'adsb_icao', mlat: ['lat', 'lon', 'gs'] }, 'mlat'],
    ['dump1090-fa: lat is among what TIS-B told', { type: 'adsb_icao', tisb: ['lat', 'lon'] }, 'tisb'],
    ['only the speed was measured', { type: 'adsb_icao', mlat: ['gs'] }, 'broadcast'],
    ['dump1090 without types', { type: undefined }, 'broadcast'],
    ['neither types nor lists', { type: undefined, mlat: undefined, tisb: undefined }, 'unknown'],
  ])('origin of %s', (_, row, origin) => {
    expect(only(row).origin).toBe(origin);
  });
});

describe('emergencies', () => {
  test.each<[Change, string | null]>([
    [{ emergency: 'unlawful' }, 'unlawful'],
    [{ emergency: 'reserved' }, 'reserved'],
    [{ emergency: undefined, squawk: '7500' }, 'unlawful'],
    [{ emergency: undefined, squawk: '7600' }, 'nordo'],
    [{ emergency: undefined, squawk: '7700' }, 'general'],
    [{ emergency: 'none', squawk: '7700' }, 'general'],
    [{ emergency: 'minfuel', squawk: '7700' }, 'minfuel'],
    [{ emergency: undefined, squawk: '7701' }, null],
    [{ emergency: undefined, squawk: 7700 }, null],
    [{ emergency: undefined, squawk: undefined }, null],
    [{ emergency: 'D-AIZQ in distress' }, null],
  ])('%o is %s', (row, state) => {
    expect(only(row).emergencyState).toBe(state);
    expect(only(row, { policy: { emergency: 'unknown' } }).emergencyState).toBe('unknown');
  });
});

test('serves PIA and LADD aircraft unless the operator withholds them', () => {
  const withhold = { policy: { piaAndLadd: 'withhold' } } as const;
  for (const dbFlags of [4, 8, 12, 13]) {
    expect(only({ dbFlags }).lat).toBe(47.123456);
    expect(refusal({ dbFlags }, withhold)).toEqual(['withheld']);
  }
  for (const dbFlags of [undefined, 0, 1, 2, 3, '8']) expect(only({ dbFlags }, withhold).lat).toBe(47.123456);
});

describe('repeated polls', () => {
  test('count an aircraft only if the time of its position advanced', () => {
    const { poll } = open();
    expect(poll(0, [{ seen_pos: 0.3 }]).fixes).toHaveLength(1);
    expect(poll(1, [{ seen_pos: 1.3 }])).toMatchObject({ fixes: [], refused: [] });
    // dump1090 rounds to 0.1 s.
    expect(poll(2, [{ seen_pos: 2.2 }]).fixes).toEqual([]);
    expect(poll(3, [{ seen_pos: 0.4, lat: 47.2 }]).fixes).toMatchObject([{ lat: 47.2 }]);
    expect(poll(4, [{ seen_pos: 0.4, lat: 47.2 }]).fixes).toMatchObject([{ feedTimeMs: (EPOCH_S + 3.6) * 1000 }]);
    expect(poll(5, [{ seen_pos: 1.35, lat: 47.2001 }]).fixes).toHaveLength(1);
    expect(poll(6, [{ seen_pos: 4, lat: 47.1 }]).fixes).toEqual([]);
  });

  test('ignore a file that was read before, and its clock', () => {
    const { poll } = open();
    expect(poll(0, [{}]).feedClockMs).toBe(EPOCH_S * 1000);
    expect(poll(0, [{ lat: 47.2, seen_pos: 0 }])).toEqual({ fixes: [], refused: [], feedClockMs: undefined });
  });

  test.each([3600, -3600])('make no new positions of a clock that is set by %i s', (step) => {
    const parser = makeAircraftJson({ feed: 'roof', keyOf: namedKeyOf });
    const poll = (seconds: number, clock: number, row: Change) =>
      parser.parse(JSON.stringify({ now: EPOCH_S + clock, aircraft: [readsbRow(row)] }), at(seconds)).fixes;
    expect(poll(0, 0, { seen_pos: 0.2 })).toHaveLength(1);
    expect(poll(1, 1 + step, { seen_pos: 1.2 })).toEqual([]);
    expect(poll(2, 2 + step, { seen_pos: 0.1, lat: 47.2 })).toHaveLength(1);
    expect(poll(3, 3 + step, { seen_pos: 1.1, lat: 47.2 })).toEqual([]);
  });
});

test('serves vehicles on the ground', () => {
  for (const category of ['C1', 'C2']) expect(only({ category }).lat).toBe(47.123456);
});

describe('every generation of dump1090', () => {
  const MUTABILITY = {
    hex: '3f0c01',
    squawk: '1000',
    flight: 'TEST1   ',
    lat: 47.01,
    lon: 8.1,
    nucp: 7,
    seen_pos: 0.2,
    altitude: 12_000,
    vert_rate: 0,
    track: 90,
    speed: 240,
    category: 'A3',
    mlat: [],
    tisb: [],
    messages: 9,
    seen: 0.1,
    rssi: -9,
  };
  const readOne = (row: Change) =>
    makeAircraftJson({ feed: 'roof', keyOf: namedKeyOf }).parse(
      JSON.stringify({ now: EPOCH_S, aircraft: [row] }),
      at(0),
    );

  test('mutability: reads altitude, speed and nucp, and knows every field', () => {
    const { fixes, fields } = readOne(MUTABILITY);
    expect(fixes).toMatchObject([
      { altitudeM: 3657.6, speedMps: 123.47, headingDeg: 90, accuracyM: 185.2, origin: 'broadcast' },
    ]);
    expect(fields).toBeUndefined();
  });

  test('mutability: takes the altitude "ground" as on the ground', () => {
    const { fixes, fields } = readOne({ ...MUTABILITY, altitude: 'ground', speed: 0, track: 0 });
    expect(fixes).toMatchObject([{ altitudeM: null, onGround: true, speedMps: 0, headingDeg: 0 }]);
    expect(fields).toBeUndefined();
  });

  test.each<[string, Change, Partial<Fix>]>([
    [
      'alt, spd, heading',
      { alt: 12_000, spd: 240, heading: 90 },
      { altitudeM: 3657.6, speedMps: 123.47, headingDeg: 90 },
    ],
    [
      'the newest name counts',
      { alt_baro: 10_000, altitude: 1, gs: 100, speed: 1 },
      { altitudeM: 3048, speedMps: 51.44 },
    ],
    ['null is no value', { alt_baro: null, altitude: 10_000 }, { altitudeM: 3048 }],
    ['no value under any name', {}, { altitudeM: null, speedMps: null, headingDeg: null }],
  ])('%s', (_, row, fix) => {
    expect(readOne({ hex: '3f0c01', lat: 47, lon: 8, seen_pos: 0.2, ...row }).fixes).toMatchObject([fix]);
  });

  describe('without an age', () => {
    const MALCOLM_ROBB = {
      hex: '3f0c03',
      squawk: '1000',
      flight: 'TEST3',
      lat: 47.03,
      lon: 8.1,
      validposition: 1,
      altitude: 9600,
      vert_rate: 0,
      track: 90,
      validtrack: 1,
      speed: 240,
      messages: 161,
      seen: 1,
    };
    const GVANEM = { hex: '3f0c02', flight: '', lat: 47.02, lon: 8.1, altitude: 17_350, track: 90, speed: 240 };

    function polls(answerOf: (row: Change, seconds: number) => unknown) {
      const parser = makeAircraftJson({ feed: 'roof', keyOf: namedKeyOf });
      return (seconds: number, row: Change) => parser.parse(JSON.stringify(answerOf(row, seconds)), at(seconds));
    }
    const listPolls = () => polls((row) => [{ ...MALCOLM_ROBB, ...row }]);
    const objectPolls = () => polls((row, seconds) => ({ now: EPOCH_S + seconds, aircraft: [{ ...GVANEM, ...row }] }));

    test('counts a position that changed since the last poll, at the time of the answer', () => {
      const poll = objectPolls();
      expect(poll(0, {})).toMatchObject({ fixes: [], refused: ['no_age'] });
      expect(poll(1, {})).toMatchObject({ fixes: [], refused: [] });
      expect(poll(2, { lon: 8.2 }).fixes).toMatchObject([
        { lon: 8.2, feedTimeMs: (EPOCH_S + 2) * 1000, altitudeM: 5288.28, speedMps: 123.47, headingDeg: 90 },
      ]);
      expect(poll(3, { lon: 8.2 })).toMatchObject({ fixes: [], refused: [] });
    });

    test('uses the time of arrival for data.json, a list without a clock', () => {
      const poll = listPolls();
      expect(poll(0, {})).toMatchObject({ fixes: [], refused: ['no_age'], feedClockMs: undefined });
      const { fixes, fields, feedClockMs } = poll(1, { lon: 8.2 });
      expect(fixes).toMatchObject([{ lon: 8.2, feedTimeMs: undefined, altitudeM: 2926.08, origin: 'unknown' }]);
      expect([fields, feedClockMs]).toEqual([undefined, undefined]);
    });

    test('refuses a change after a gap between polls: its age is unknown', () => {
      const poll = listPolls();
      poll(0, {});
      expect(poll(6, { lon: 8.2 })).toMatchObject({ fixes: [], refused: ['no_age'] });
      expect(poll(7, { lon: 8.3 }).fixes).toHaveLength(1);
    });

    test.each<[string, Change, Partial<Fix>]>([
      ['an altitude of 0', { altitude: 0 }, { altitudeM: null }],
      ['a speed of 0', { speed: 0 }, { speedMps: null }],
      ['a track that is not valid', { track: 90, validtrack: 0 }, { headingDeg: null }],
      ['a valid track of 0 is north', { track: 0 }, { headingDeg: 0 }],
      ['a track of 0 without a flag', { track: 0, validtrack: undefined }, { headingDeg: null }],
    ])('takes %s as possibly never sent', (_, row, fix) => {
      const poll = listPolls();
      poll(0, {});
      expect(poll(1, { lon: 8.2, ...row }).fixes).toMatchObject([fix]);
    });

    test('ignores an invalid position', () => {
      expect(listPolls()(0, { validposition: 0 }).refused).toEqual(['no_position']);
    });
  });
});

describe('damaged answers', () => {
  const parserOf = () => makeAircraftJson({ feed: 'roof', keyOf: namedKeyOf });
  const rowText = (hex: string, change: Change = {}) => JSON.stringify(readsbRow({ hex, ...change }));
  const answerOf = (...rows: readonly string[]) =>
    `{"now":${EPOCH_S},"messages":7,"aircraft":[\n${rows.join(',\n')}\n]}`;

  test('lose only the row with a quote in its callsign', () => {
    const broken = rowText('3f0cff').replace('DLH4AB', 'DL"H4AB');
    const { fixes, refused, feedClockMs } = parserOf().parse(
      answerOf(rowText('3f0c01'), broken, rowText('3f0c02')),
      at(0),
    );
    expect(fixes.map(({ trackKey }) => trackKey)).toEqual(['adsb icao:3f0c01', 'adsb icao:3f0c02']);
    expect([refused, feedClockMs]).toEqual([['unreadable'], EPOCH_S * 1000]);
  });

  test('lose only the value nan, counted by its name', () => {
    const { fixes, refused, fields } = parserOf().parse(
      answerOf(rowText('3f0c01').replace('"gs":450.5', '"gs":-nan')),
      at(0),
    );
    expect(fixes).toMatchObject([{ speedMps: null, altitudeM: 11_582.4, lat: 47.123456 }]);
    expect([refused, fields?.unusable]).toEqual([[], new Map([['gs', 1]])]);
  });

  test('keep the rows before a cut, and forget no aircraft', () => {
    const parser = parserOf();
    const rows = (seenPos: number) => answerOf(rowText('3f0c01'), rowText('3f0c02', { seen_pos: seenPos }));
    parser.parse(rows(0.2), at(0));
    const cut = rows(1.2)
      .replace(String(EPOCH_S), String(EPOCH_S + 1))
      .slice(0, -80);
    expect(parser.parse(cut, at(1))).toMatchObject({ refused: ['unreadable'] });
    const after = rows(2.2).replace(String(EPOCH_S), String(EPOCH_S + 2));
    expect(parser.parse(after, at(2)).fixes.map(({ trackKey }) => trackKey)).toEqual(['adsb icao:3f0c01']);
  });

  test.each<[string, Change, Partial<Fix>, string]>([
    ['a speed that is text', { gs: '450' }, { speedMps: null }, 'gs'],
    ['an altitude that is text', { alt_geom: undefined, alt_baro: '37000' }, { altitudeM: null }, 'alt_baro'],
    ['an altitude that cannot be', { alt_geom: 1e9 }, { altitudeM: 11_277.6 }, 'alt_geom'],
    ['a track that is a list', { track: [] }, { headingDeg: null }, 'track'],
    ['a radius that cannot be', { rc: -1 }, { accuracyM: null }, 'rc'],
    ['an emergency of another word', { emergency: 'yes' }, { emergencyState: null }, 'emergency'],
    ['a squawk that is a number', { squawk: 7700 }, { emergencyState: 'none' }, 'squawk'],
  ])('make %s null and count it, and keep the position', (_, row, fix, name) => {
    const { fixes, refused, fields } = open().poll(0, [row]);
    expect(fixes).toMatchObject([{ lat: 47.123456, ...fix }]);
    expect([refused, fields?.unusable]).toEqual([[], new Map([[name, 1]])]);
  });

  test('make a huge number null', () => {
    const { fixes } = parserOf().parse(answerOf(rowText('3f0c01').replace('"gs":450.5', '"gs":1e999')), at(0));
    expect(fixes).toMatchObject([{ speedMps: null }]);
  });
});

describe('unknown fields', () => {
  test('are counted by their name', () => {
    const { fields } = open().poll(0, [{ altitude_wgs84: 12 }, { hex: '3f0c02', altitude_wgs84: 12, vspeed: 1 }]);
    expect(fields?.unknown).toEqual(
      new Map([
        ['altitude_wgs84', 2],
        ['vspeed', 1],
      ]),
    );
  });

  test('are counted as other if a name could be an identity, or beyond a number', () => {
    expect(open().poll(0, [{ a0f1c2: 1, 'N123AB 1234': 2, abcdef: 3 }]).fields?.unknown).toEqual(
      new Map([['other', 3]]),
    );
    const many = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [`field_${'x'.repeat(index % 9)}${index}`, 1]),
    );
    const { unknown } = open().poll(0, [many]).fields!;
    expect(unknown.size).toBe(32);
    expect([...unknown.values()].reduce((sum, count) => sum + count)).toBe(90);
  });
});

describe('answers of other programs', () => {
  test('skyaware978: ignores alt_geom, which repeats the pressure altitude', () => {
    const { poll } = open();
    const uat = { hex: 'a66ef1', uat_version: 2, alt_baro: 5000, alt_geom: 5000, mlat: undefined, tisb: undefined };
    const { fixes } = poll(0, [{ alt_baro: 'ground', alt_geom: 600 }, uat]);
    expect(fixes.map(({ altitudeM }) => altitudeM)).toEqual([null, 1524]);
    // Rows that say UAT may be gone.
    expect(poll(1, [{ alt_baro: 'ground', alt_geom: 600, seen_pos: 0 }]).fixes).toMatchObject([{ altitudeM: null }]);
  });

  test('re-api: reads the milliseconds and the list ac of version jv2', () => {
    const { poll } = open();
    const parsed = poll(0, [], { now: EPOCH_S * 1000 + 500, aircraft: undefined, ac: [readsbRow()], resultCount: 1 });
    expect(parsed).toMatchObject({
      feedClockMs: EPOCH_S * 1000 + 500,
      fixes: [{ feedTimeMs: EPOCH_S * 1000 + 250 }],
    });
  });

  test('accepts the clock of a receiver without the time, which starts in 1970', () => {
    const { feedClockMs, fixes } = open().poll(0, [{}], { now: 75.5 });
    expect(feedClockMs).toBe(75_500);
    expect(fixes[0]?.feedTimeMs).toBe(75_250);
  });

  test.each([
    ['a page', '<!doctype html><title>tar1090</title>'],
    ['no list', '{"now":1795435200.0,"aircraft":{}}'],
    ['nothing', ''],
  ])('%s: unreadable', (_, body) => {
    const parser = makeAircraftJson({ feed: 'roof', keyOf: namedKeyOf });
    expect(parser.parse(body, at(0))).toEqual({ fixes: [], refused: ['unreadable'], feedClockMs: undefined });
  });

  test('reads the first 15,000 rows, and counts the others as flood', () => {
    const rows = Array.from({ length: 15_002 }, (_, index) => ({ hex: (0x10_00_00 + index).toString(16) }));
    const { fixes, refused } = open().poll(0, rows);
    expect(fixes).toHaveLength(15_000);
    expect(refused).toEqual(['flood', 'flood']);
  });

  test('loses only a row that is no object', () => {
    const { fixes, refused } = open().poll(0, [], { aircraft: [7, null, 'text', readsbRow()] });
    expect(refused).toEqual(['unreadable', 'unreadable', 'unreadable']);
    expect(fixes).toHaveLength(1);
  });
});
