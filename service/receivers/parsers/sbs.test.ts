import { describe, expect, test } from 'vitest';
import type { Fix } from '../fix.ts';
import { at, namedKeyOf } from './named-keys.fixture.ts';
import { EPOCH_S } from './readsb-row.fixture.ts';
import { makeSbs, type SbsSettings } from './sbs.ts';
import { sbsLine } from './sbs-line.fixture.ts';

type Line = Parameters<typeof sbsLine>[0];

function open(settings: Partial<SbsSettings> = {}) {
  const parser = makeSbs({ feed: 'roof', keyOf: namedKeyOf, ...settings });
  return {
    parse: (line: Line | string, seconds = 0) =>
      parser.parse(typeof line === 'string' ? line : sbsLine(line), at(seconds)),
  };
}

const POSITION = { kind: 3, altitude: 38_000, lat: '49.263300', lon: '10.614239', ground: '0' } as const;

function only(line: Line, settings: Partial<SbsSettings> = {}): Fix {
  const { fixes, refused } = open(settings).parse({ ...POSITION, ...line });
  expect(refused).toEqual([]);
  return fixes[0]!;
}

test('makes a fix of a line with a position, with its times only if configured', () => {
  expect(open().parse(POSITION)).toEqual({
    refused: [],
    feedClockMs: undefined,
    fixes: [
      {
        layer: 'adsb',
        trackKey: 'adsb icao:3c66b0',
        feedTimeMs: undefined,
        trackTimeMs: undefined,
        lon: 10.614239,
        lat: 49.2633,
        altitudeM: 11_582.4,
        heightAglM: null,
        speedMps: null,
        headingDeg: null,
        onGround: false,
        origin: 'unknown',
        accuracyM: null,
        emergencyState: null,
        testBroadcast: false,
      },
    ],
  });
  const times = { received: '2026/11/23,12:00:01.250', sent: '2026/11/23,12:00:01.300' };
  expect(open({ times: 'utc' }).parse({ ...POSITION, ...times })).toMatchObject({
    feedClockMs: (EPOCH_S + 1.3) * 1000,
    fixes: [{ feedTimeMs: (EPOCH_S + 1.25) * 1000 }],
  });
  expect(only({ received: '2026/02/30,12:00:01.250' }, { times: 'utc' }).feedTimeMs).toBeUndefined();
});

describe('joining lines', () => {
  const velocity = { kind: 4, speed: '450', track: '121' } as const;
  const moving = { speedMps: 231.5, headingDeg: 121 };

  test('applies a speed to the aircraft’s positions of the next ten seconds', () => {
    const { parse } = open();
    expect(parse(velocity)).toEqual({ fixes: [], refused: [], feedClockMs: undefined });
    expect(parse(POSITION, 9.9).fixes).toMatchObject([moving]);
    expect(parse({ ...POSITION, hex: '3C66B1' }, 9.9).fixes).toMatchObject([{ speedMps: null, headingDeg: null }]);
    expect(parse(POSITION, 10.1).fixes).toMatchObject([{ speedMps: null, headingDeg: null }]);
  });

  test('does not extend a speed’s life by a position', () => {
    const { parse } = open();
    parse(velocity);
    parse(POSITION, 8);
    expect(parse(POSITION, 16).fixes).toMatchObject([{ speedMps: null }]);
  });

  test('prefers the values of the line itself', () => {
    const { parse } = open();
    parse(velocity);
    expect(parse({ ...POSITION, speed: '0', track: '360' }, 1).fixes).toMatchObject([{ speedMps: 0, headingDeg: 0 }]);
  });

  test('joins nothing from the future after the clock was set back', () => {
    const { parse } = open();
    parse(velocity, 100);
    expect(parse(POSITION, 0).fixes).toMatchObject([{ speedMps: null }]);
  });

  test.each([
    ['7500', 'unlawful'],
    ['7600', 'nordo'],
    ['7700', 'general'],
    ['1000', null],
  ])('reports squawk %s as %s for a minute', (squawk, state) => {
    const { parse } = open();
    expect(parse({ kind: 6, squawk, emergency: '-1' }).refused).toEqual([]);
    expect(parse(POSITION, 59).fixes[0]?.emergencyState).toBe(state);
    expect(parse(POSITION, 61).fixes[0]?.emergencyState).toBeNull();
  });

  test('joins the latest 10,000 aircraft', () => {
    const { parse } = open();
    const hexOf = (index: number) => (0x10_00_00 + index).toString(16).toUpperCase();
    for (let index = 0; index < 10_001; index += 1) parse({ ...velocity, hex: hexOf(index) });
    expect(parse({ ...POSITION, hex: hexOf(10_000) }, 1).fixes).toMatchObject([moving]);
    expect(parse({ ...POSITION, hex: hexOf(0) }, 1).fixes).toMatchObject([{ speedMps: null }]);
  });
});

describe('quirks', () => {
  test.each<[string, Line, Partial<Fix>]>([
    ['an altitude that ends in H is geometric, and in feet as well', { altitude: '38000H' }, { altitudeM: 11_582.4 }],
    ['no altitude', { altitude: '' }, { altitudeM: null }],
    ['an altitude of 0 ft in flight is one', { altitude: 0 }, { altitudeM: 0 }],
    [
      'on the ground it is none: BaseStation fills in 0',
      { altitude: 0, ground: '-1' },
      { altitudeM: null, onGround: true },
    ],
    [
      'MSG,2 is sent on the ground',
      { kind: 2, altitude: '', speed: '12', track: '90' },
      { onGround: true, headingDeg: 90 },
    ],
    [
      'MLAT’s count of receivers and its error are no alert and no emergency',
      { alert: '5', emergency: '240' },
      { emergencyState: null },
    ],
    ['mlat-client may say that it measured', { type: 'MLAT' }, { origin: 'mlat' }],
  ])('%s', (_, line, fix) => {
    expect(only(line)).toMatchObject(fix);
  });

  test('accepts padded fields and a final comma', () => {
    const padded = sbsLine(POSITION)
      .split(',')
      .map((field) => `  ${field} `)
      .join(',');
    expect(open().parse(padded).fixes).toMatchObject([{ lat: 49.2633, altitudeM: 11_582.4 }]);
    expect(open().parse(`${sbsLine(POSITION)},`).fixes).toHaveLength(1);
  });

  test('makes an unusable value null, counts it, and keeps the position', () => {
    const { fixes, fields } = open().parse({
      ...POSITION,
      altitude: '-nan',
      speed: 'fast',
      track: '400',
      squawk: '9999',
    });
    expect(fixes).toMatchObject([{ lat: 49.2633, altitudeM: null, speedMps: null, headingDeg: null }]);
    expect([...(fields?.unusable.keys() ?? [])].toSorted()).toEqual(['altitude', 'speed', 'squawk', 'track']);
  });

  test('accepts short lines and any line end', () => {
    const line = sbsLine(POSITION).split(',').slice(0, 16).join(',');
    expect(open().parse(`${line}\r\n`).fixes).toMatchObject([{ lat: 49.2633, onGround: false }]);
  });
});

describe('refused', () => {
  test.each<[string, Line | string, string]>([
    ['a drone of DroneScout, as an aircraft', { ...POSITION, hex: 'FF0001' }, 'drone_as_aircraft'],
    ['the last such address', { ...POSITION, hex: 'ffffff' }, 'drone_as_aircraft'],
    ['nobody', { ...POSITION, hex: '000000' }, 'no_identity'],
    ['no address', { ...POSITION, hex: '' }, 'no_identity'],
    ['0,0', { ...POSITION, lat: '0.000000', lon: '0.000000' }, 'no_position'],
    ['no position yet', { ...POSITION, lat: '', lon: '' }, 'no_position'],
    ['a name alone', { kind: 1, callsign: 'DLH4AB' }, 'not_positions'],
    ['an answer to a radar', { kind: 8, ground: '0' }, 'not_positions'],
    ['beyond a pole', { ...POSITION, lat: '90.5' }, 'impossible_value'],
    ['no number', { ...POSITION, lat: 'N49.2' }, 'impossible_value'],
    ['a number of another notation', { ...POSITION, lat: '4.9e1' }, 'impossible_value'],
    [
      'a click of BaseStation’s user',
      'SEL,,496,2286,4CA4E5,27215,2026/11/23,12:00:01.250,2026/11/23,12:00:01.300,RYR1427',
      'not_positions',
    ],
    ['a transmission of unknown kind', { ...POSITION, kind: 9 }, 'unreadable'],
    ['too few fields', 'MSG,3,1,1,3C66B0,1', 'unreadable'],
    ['too many fields', `${sbsLine(POSITION)},0`, 'unreadable'],
    ['JSON', '{"hex":"3c66b0"}', 'unreadable'],
    ['nothing', '', 'unreadable'],
  ])('%s', (_, line, cause) => {
    expect(open().parse(line)).toMatchObject({ fixes: [], refused: [cause] });
  });
});

describe('spellings of other programs', () => {
  const usual = sbsLine({ lat: '47.12', lon: '8.65', altitude: 3000, ground: '0' });
  const parsed = (line: string) => makeSbs({ feed: 'roof', keyOf: namedKeyOf }).parse(line, at(2));
  const spread = (line: string, pad: (field: string) => string) => line.split(',').map(pad).join(',');

  test.each([
    ['blanks around fields', spread(usual, (field) => ` ${field}  `)],
    ['tabs, and a return at the end', `${spread(usual, (field) => `${field}\t`)}\r`],
    ['lower-case hex', usual.replace('3C66B0', '3c66b0')],
    ['signs and no digits after the point', usual.replace('47.12', '+47.120').replace(',3000,', ',3000.,')],
    ['a comma at the end', `${usual},`],
  ])('%s are read', (_what, line) => {
    expect(parsed(line)).toEqual(parsed(usual));
    expect(parsed(line).fixes).toHaveLength(1);
  });

  test.each([
    ['-1', true],
    ['1', true],
    ['0', false],
    ['', false],
  ])('%j in the field of the ground is %s', (ground, onGround) => {
    expect(parsed(sbsLine({ lat: 47.1, lon: 8.6, ground }))?.fixes[0]?.onGround).toBe(onGround);
  });

  test('decimal commas are refused, also where a short line hides them', () => {
    const commas = sbsLine({ lat: '47,12', lon: '8,65', altitude: 3000 });
    expect(parsed(commas)).toMatchObject({ fixes: [], refused: ['unreadable'] });
    expect(parsed(commas.split(',').slice(0, 20).join(','))).toMatchObject({
      fixes: [],
      refused: ['impossible_value'],
    });
    expect(parsed(sbsLine({ lat: '"47,12"', lon: '"8,65"' }))).toMatchObject({ fixes: [] });
  });
});
