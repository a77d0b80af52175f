import { describe, expect, test } from 'vitest';
import { addMs, instantOf } from '#lib/time/instant.ts';
import type { Fix } from '../fix.ts';
import { makeMeshMapper } from './mesh-mapper.ts';
import { meshMapperLine } from './mesh-mapper-line.fixture.ts';
import { namedKeyOf } from './named-keys.fixture.ts';

const T0 = instantOf('2026-11-23T03:38:28.400Z');
const HERE = { lat: 47.123_456, lon: 8.765_432 };
const NAMED = { ...HERE, basicId: '1581F5BKD2290000TEST' };

const parse = (line: string) => makeMeshMapper({ feed: 'usb', keyOf: namedKeyOf }).parse(line, T0);

test('reads the drone’s place, and leaves all that the board does not send null', () => {
  expect(parse(meshMapperLine({ ...NAMED, altitudeM: 642, pilot: { lat: 47.1, lon: 8.1 } }))).toEqual({
    fixes: [
      {
        ...HERE,
        layer: 'rid',
        trackKey: 'rid serial:1581F5BKD2290000TEST',
        feedTimeMs: undefined,
        trackTimeMs: undefined,
        altitudeM: 642,
        heightAglM: null,
        speedMps: null,
        headingDeg: null,
        onGround: false,
        origin: 'broadcast',
        accuracyM: null,
        emergencyState: null,
        testBroadcast: false,
      },
    ],
    refused: [],
    feedClockMs: undefined,
  });
});

test.each([
  [0, null],
  [-1000, null],
  [-12, -12],
])('reads an altitude of %d as %s', (altitudeM, expected) => {
  expect(parse(meshMapperLine({ ...NAMED, altitudeM })).fixes[0]!.altitudeM).toBe(expected);
});

test.each([
  ['a heartbeat', '{"heartbeat":"Device is active and running."}', 'not_positions'],
  ['a banner that is no JSON', '{"   [+] Device is active and scanning..."}', 'not_positions'],
  ['the state of the board', '{"status":"active","mode":"dual-band"}', 'not_positions'],
  ['its log', '[HOME] Stats: 3 received', 'not_positions'],
  ['an empty line', '\r\n', 'not_positions'],
  ['a line that was cut at its end', meshMapperLine(NAMED).slice(0, 100), 'unreadable'],
  ['a line that was cut at its start', meshMapperLine(NAMED).slice(20), 'unreadable'],
  ['a sender that has not said where it is', meshMapperLine({ basicId: 'S' }), 'no_position'],
  ['an impossible place', meshMapperLine({ ...NAMED, lat: 91 }), 'impossible_value'],
  ['a line without end', 'a'.repeat(5000), 'too_long'],
])('%s is refused', (_, line, cause) => {
  expect(parse(line)).toEqual({ fixes: [], refused: [cause], feedClockMs: undefined });
});

describe('newer firmware', () => {
  const parsed = (more: Readonly<Record<string, unknown>>) =>
    parse(JSON.stringify({ ...JSON.parse(meshMapperLine(NAMED)), ...more }));

  test.each<[string, Readonly<Record<string, unknown>>, Partial<Fix>]>([
    [
      'speed_horizontal, heading, height_agl',
      { speed_horizontal: 12.5, heading: 271, height_agl: 42 },
      { speedMps: 12.5, headingDeg: 271, heightAglM: 42 },
    ],
    ['speed, drone_heading', { speed: 7, drone_heading: 90 }, { speedMps: 7, headingDeg: 90 }],
    [
      'a drone that stands still, to the north, on the ground',
      { speed_horizontal: 0, heading: 0, height_agl: 0, status: 1 },
      { speedMps: 0, headingDeg: 0, heightAglM: 0, onGround: true },
    ],
    [
      'what Remote ID calls unknown',
      { speed_horizontal: 255, heading: 361, height_agl: -1000 },
      { speedMps: null, headingDeg: null, heightAglM: null },
    ],
    ['a height above ground', { height: 42, height_type: 1 }, { heightAglM: 42 }],
    ['a height above take-off', { height_agl: 42, height_type: 0 }, { heightAglM: null }],
    ['an emergency', { status: 3 }, { emergencyState: 'emergency' }],
  ])('%s', (_, more, fix) => {
    const { fixes, fields } = parsed(more);
    expect(fixes).toMatchObject([{ ...HERE, ...fix }]);
    expect(fields).toBeUndefined();
  });

  test('counts a height of unknown kind, an unusable value and an unknown field', () => {
    const { fixes, fields } = parsed({ height: 42, speed: 'fast', band: '5GHz', brand_new: 1 });
    expect(fixes).toMatchObject([{ heightAglM: null, speedMps: null }]);
    expect(fields).toEqual({
      unknown: new Map([['brand_new', 1]]),
      unusable: new Map([
        ['height', 1],
        ['speed', 1],
      ]),
    });
  });

  test('reads joined lines, and loses only the value nan', () => {
    const joined =
      meshMapperLine(NAMED)
        .trim()
        .replace(/"drone_altitude":\d+/, '"drone_altitude":nan') + meshMapperLine({ ...NAMED, lat: 47.2 });
    expect(parse(joined)).toMatchObject({ refused: [], fixes: [{ altitudeM: null }, { lat: 47.2 }] });
  });
});

test('gives a later name to earlier positions', () => {
  const parser = makeMeshMapper({ feed: 'usb', keyOf: namedKeyOf });
  expect(parser.parse(meshMapperLine(HERE), T0).fixes).toEqual([]);
  expect(parser.parse(meshMapperLine(NAMED), addMs(T0, 500)).fixes.map(({ trackKey }) => trackKey)).toEqual(
    Array(2).fill('rid serial:1581F5BKD2290000TEST'),
  );
});
