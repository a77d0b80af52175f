import { describe, expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { labelText } from './track-labels.ts';

const position: Position = {
  ...plainPosition,
  ref: 'RX-A-3436393264307A7A',
  observedAt: upstreamInstant(0),
  lon: 8,
  lat: 47,
  altitudeM: 3048,
  speedMps: 0,
  emergencyState: 'unknown',
};

describe('labelText', () => {
  test('shows SIM and TEST at every level', () => {
    const marked = { ...position, simulated: true, testBroadcast: true };
    expect(labelText(marked, 'off', 'metric', true)).toBe('TEST SIM');
    expect(labelText(marked, 'reference', 'metric', true)).toBe('TEST SIM 07A7A');
  });

  test('leaves SIM out where the page says it of all marks, and never TEST', () => {
    const marked = { ...position, simulated: true, testBroadcast: true };
    expect(labelText(marked, 'reference', 'metric', false)).toBe('TEST 07A7A');
  });

  test('says what was not reported, never 0', () => {
    expect(labelText({ ...position, altitudeM: undefined, speedMps: undefined }, 'full', 'metric', true)).toBe(
      '07A7A\naltitude not reported · speed not reported',
    );
    expect(labelText(position, 'full', 'aviation', true)).toBe('07A7A\n10000 ft · 0 kt');
  });

  test('names a known emergency, and shows nothing for an unknown one', () => {
    expect(labelText({ ...position, emergencyState: 'nordo' }, 'off', 'metric', true)).toBe('NORDO');
    expect(labelText(position, 'off', 'metric', true)).toBe('');
  });

  test('shows the height of a drone above ground, never its altitude', () => {
    const drone: Position = { ...position, kind: 'drone', altitudeM: 500, heightAglM: undefined };
    expect(labelText(drone, 'full', 'metric', true)).toContain('height not reported');
    expect(labelText({ ...drone, heightAglM: 62.4 }, 'full', 'metric', true)).toContain('62 m agl');
  });
});
