import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { NOTHING_REPORTED, type Observation } from '../sources/observation.ts';
import { wireRecord } from './wire-record.ts';

const observation: Observation = {
  ...NOTHING_REPORTED,
  sourceId: 'one',
  layer: 'adsb',
  observedAt: upstreamInstant(Date.UTC(2026, 10, 26, 12)),
  lon: 8.5,
  lat: 47.5,
  simulated: false,
  testBroadcast: false,
};
const labels = (label: string) => {
  const { confidence, emergency_state } = wireRecord('history', 'LKT-A-0000000000000001', {
    ...observation,
    confidence: label,
    emergencyState: label,
  });
  return { confidence, emergency_state };
};

test.each(['=1+1', 'single\u202E', '\tsingle', 'a b', ''])('serves the label %j as null', (label) => {
  expect(labels(label)).toEqual({ confidence: null, emergency_state: null });
});

test.each([
  ['of own receivers', {}, undefined],
  ['of another service', { relayedBy: 'club' }, 'other'],
  ['of both', { isElsewhereToo: true as const }, 'both'],
])('tells a record %s from others, and never by which feed it came', (_, change, receivedBy) => {
  const record = wireRecord('live', 'LKT-A-0000000000000001', { ...observation, ...change });
  expect(record.received_by).toBe(receivedBy);
  expect(JSON.stringify(record)).not.toContain('club');
});

test('serves a new label as it is', () => {
  expect(labels('from_orbit')).toEqual({ confidence: 'from_orbit', emergency_state: 'from_orbit' });
});
