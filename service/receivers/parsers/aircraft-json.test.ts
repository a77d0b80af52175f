import { describe, expect, test } from 'vitest';
import type { Fix, Parsed } from '../fix.ts';
import { type AircraftJsonSettings, makeAircraftJson } from './aircraft-json.ts';
import { at, namedKeyOf } from './named-keys.fixture.ts';
import { EPOCH_S, readsbRow } from './readsb-row.fixture.ts';

type Change = Readonly<Record<string, unknown>>;

function open(settings: Partial<AircraftJsonSettings> = {}) {
  const parser = makeAircraftJson({ feed: 'roof', keyOf: namedKeyOf, ...settings });
  return {
    /** One poll, `seconds` after the first, of aircraft with these changes. */
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

test('what readsb writes of an aircraft becomes metres, metres per second and milliseconds', () => {
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

describe('who it is', () => {
  test.each<[string, Change, string]>([
    ['an ICAO address in capitals is the same', { hex: '3C66B0' }, 'adsb icao:3c66b0'],
    ['another address is unique at its station only', { hex: '~3c66b0', type: 'tisb_trackfile' }, 'adsb ~:roof:3c66b0'],
    ['a made-up address may begin with ff', { hex: '~ff12ab' }, 'adsb ~:roof:ff12ab'],
  ])('%s', (_, row, key) => {
    expect(only(row).trackKey).toBe(key);
  });

  test.each<[string, Change, string]>([
    ['no address', { hex: undefined }, 'no_identity'],
    ['the address of nobody', { hex: '000000' }, 'no_identity'],
    ['no hex digits', { hex: '3c66bx' }, 'no_identity'],
    ['a number', { hex: 3_966_640 }, 'no_identity'],
    ['a drone that DroneScout passes on as an aircraft', { hex: 'FF12AB' }, 'drone_as_aircraft'],
  ])('%s: refused', (_, row, cause) => {
    expect(refusal(row)).toEqual([cause]);
  });
});

describe('where it is', () => {
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
    ['a position of unknown age', { seen_pos: undefined }, 'no_position'],
    ['a position from the time to come', { seen_pos: -3 }, 'no_position'],
    ['0,0', { lat: 0, lon: 0 }, 'no_position'],
    ['text', { lat: '47.1' }, 'impossible_value'],
    ['beyond a pole', { lat: 90.1 }, 'impossible_value'],
    ['beyond 180°', { lon: 180.1 }, 'impossible_value'],
  ])('%s: refused', (_, row, cause) => {
    expect(refusal(row)).toEqual([cause]);
  });

  test('on the equator, and on the prime meridian, there are aircraft', () => {
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

test('aircraft of PIA and LADD are served, or withheld where the operator decides so', () => {
  const withhold = { policy: { piaAndLadd: 'withhold' } } as const;
  for (const dbFlags of [4, 8, 12, 13]) {
    expect(only({ dbFlags }).lat).toBe(47.123456);
    expect(refusal({ dbFlags }, withhold)).toEqual(['withheld']);
  }
  for (const dbFlags of [undefined, 0, 1, 2, 3, '8']) expect(only({ dbFlags }, withhold).lat).toBe(47.123456);
});

describe('a poll repeats what the polls before it said', () => {
  test('an aircraft counts only if the time of its position moved on', () => {
    const { poll } = open();
    expect(poll(0, [{ seen_pos: 0.3 }]).fixes).toHaveLength(1);
    // The same position, a second later: no observation, and nothing to refuse.
    expect(poll(1, [{ seen_pos: 1.3 }])).toMatchObject({ fixes: [], refused: [] });
    // dump1090 rounds to tenths of a second.
    expect(poll(2, [{ seen_pos: 2.2 }]).fixes).toEqual([]);
    expect(poll(3, [{ seen_pos: 0.4, lat: 47.2 }]).fixes).toMatchObject([{ lat: 47.2 }]);
    // It stands, and said so again.
    expect(poll(4, [{ seen_pos: 0.4, lat: 47.2 }]).fixes).toMatchObject([{ feedTimeMs: (EPOCH_S + 3.6) * 1000 }]);
    // A position that is new is taken however little later it was.
    expect(poll(5, [{ seen_pos: 1.35, lat: 47.2001 }]).fixes).toHaveLength(1);
    // An older one is not, wherever it is.
    expect(poll(6, [{ seen_pos: 4, lat: 47.1 }]).fixes).toEqual([]);
  });

  test('the same file read twice says nothing new, its clock neither', () => {
    const { poll } = open();
    expect(poll(0, [{}]).feedClockMs).toBe(EPOCH_S * 1000);
    expect(poll(0, [{ lat: 47.2, seen_pos: 0 }])).toEqual({ fixes: [], refused: [], feedClockMs: undefined });
  });

  test.each([3600, -3600])('a receiver’s clock that is set by %i s makes no new positions', (step) => {
    const parser = makeAircraftJson({ feed: 'roof', keyOf: namedKeyOf });
    const poll = (seconds: number, clock: number, row: Change) =>
      parser.parse(JSON.stringify({ now: EPOCH_S + clock, aircraft: [readsbRow(row)] }), at(seconds)).fixes;
    expect(poll(0, 0, { seen_pos: 0.2 })).toHaveLength(1);
    expect(poll(1, 1 + step, { seen_pos: 1.2 })).toEqual([]);
    expect(poll(2, 2 + step, { seen_pos: 0.1, lat: 47.2 })).toHaveLength(1);
    expect(poll(3, 3 + step, { seen_pos: 1.1, lat: 47.2 })).toEqual([]);
  });
});

describe('answers of other programs', () => {
  test('skyaware978 writes the pressure altitude into alt_geom: only alt_baro is an altitude there', () => {
    const { poll } = open();
    const uat = { hex: 'a66ef1', uat_version: 2, alt_baro: 5000, alt_geom: 5000, mlat: undefined, tisb: undefined };
    const { fixes } = poll(0, [{ alt_baro: 'ground', alt_geom: 600 }, uat]);
    expect(fixes.map(({ altitudeM }) => altitudeM)).toEqual([null, 1524]);
    // Not every row tells that it is UAT, and those that do may be gone.
    expect(poll(1, [{ alt_baro: 'ground', alt_geom: 600, seen_pos: 0 }]).fixes).toMatchObject([{ altitudeM: null }]);
  });

  test('re-api has milliseconds in version jv2, and calls the list ac', () => {
    const { poll } = open();
    const parsed = poll(0, [], { now: EPOCH_S * 1000 + 500, aircraft: undefined, ac: [readsbRow()], resultCount: 1 });
    expect(parsed).toMatchObject({
      feedClockMs: EPOCH_S * 1000 + 500,
      fixes: [{ feedTimeMs: EPOCH_S * 1000 + 250 }],
    });
  });

  test('a receiver that does not know the time counts from 1970', () => {
    const { feedClockMs, fixes } = open().poll(0, [{}], { now: 75.5 });
    expect(feedClockMs).toBe(75_500);
    expect(fixes[0]?.feedTimeMs).toBe(75_250);
  });

  test.each([
    ['no object', '[]'],
    ['cut off', '{"now":1795435200.0,"aircraft":[{"hex":"3c66b0"'],
    ['a page', '<!doctype html><title>tar1090</title>'],
    ['no clock', '{"aircraft":[]}'],
    ['no list', '{"now":1795435200.0,"aircraft":{}}'],
    ['nothing', ''],
  ])('%s: unreadable', (_, body) => {
    const parser = makeAircraftJson({ feed: 'roof', keyOf: namedKeyOf });
    expect(parser.parse(body, at(0))).toEqual({ fixes: [], refused: ['unreadable'], feedClockMs: undefined });
  });

  test('of an answer with more aircraft than there can be, the first are read and the others counted', () => {
    const rows = Array.from({ length: 15_002 }, (_, index) => ({ hex: (0x10_00_00 + index).toString(16) }));
    const { fixes, refused } = open().poll(0, rows);
    expect(fixes).toHaveLength(15_000);
    expect(refused).toEqual(['flood', 'flood']);
  });

  test('one row that is no object costs that row', () => {
    const { fixes, refused } = open().poll(0, [], { aircraft: [7, null, 'text', readsbRow()] });
    expect(refused).toEqual(['unreadable', 'unreadable', 'unreadable']);
    expect(fixes).toHaveLength(1);
  });
});
