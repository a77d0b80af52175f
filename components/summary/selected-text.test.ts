import { expect, test } from 'vitest';
import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { addMs } from '#lib/time/instant.ts';
import { selectedText } from './selected-text.ts';

const selected = (change: Partial<typeof plainPosition>, gone = false): SelectedTrack => ({
  position: { ...plainPosition, ref: '34636132', ...change },
  expiresAt: addMs(plainPosition.observedAt, 60_000),
  gone,
});
const heard = (track: SelectedTrack, afterMs = 1000) =>
  selectedText(track, addMs(plainPosition.observedAt, afterMs), 'metric');

test('has the special states in words, and leaves out unreported values, which are never 0', () => {
  expect(heard(selected({ simulated: true, emergencyState: 'nordo', altitudeM: 0 }))).toBe(
    'Selected aircraft 36132, simulated, no communications: altitude 0 m',
  );
  expect(heard(selected({ testBroadcast: true }))).toBe('Selected aircraft 36132, test broadcast: no values reported');
});

test('an expired position is called expired, a removed one gone', () => {
  expect(heard(selected({ altitudeM: 1200, headingDeg: 45 }), 61_000)).toBe(
    'Selected aircraft 36132: expired, altitude 1200 m, heading 45°',
  );
  expect(heard(selected({ altitudeM: 1200 }, true))).toBe('Selected aircraft 36132: no longer on the map');
});
