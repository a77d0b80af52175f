import { expect, test } from 'vitest';
import { addMs, instantOf } from '#lib/time/instant.ts';
import { makeMeshMapper } from './mesh-mapper.ts';
import { meshMapperLine } from './mesh-mapper-line.fixture.ts';
import { namedKeyOf } from './named-keys.fixture.ts';

const T0 = instantOf('2026-11-23T03:38:28.400Z');
const HERE = { lat: 47.123_456, lon: 8.765_432 };
const NAMED = { ...HERE, basicId: '1581F5BKD2290000TEST' };

const parse = (line: string) => makeMeshMapper({ feed: 'usb', keyOf: namedKeyOf }).parse(line, T0);

test('a line gives where the drone is, and nothing that the board does not send', () => {
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
])('an altitude of %d is %s', (altitudeM, expected) => {
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

test('the fields of other boards are no matter', () => {
  const line = JSON.stringify({ ...JSON.parse(meshMapperLine(NAMED)), band: '5GHz', channel: 149, node_id: '01A0' });
  expect(parse(line).fixes).toHaveLength(1);
});

test('a name that comes later is the name of what came before', () => {
  const parser = makeMeshMapper({ feed: 'usb', keyOf: namedKeyOf });
  expect(parser.parse(meshMapperLine(HERE), T0).fixes).toEqual([]);
  expect(parser.parse(meshMapperLine(NAMED), addMs(T0, 500)).fixes.map(({ trackKey }) => trackKey)).toEqual(
    Array(2).fill('rid serial:1581F5BKD2290000TEST'),
  );
});
