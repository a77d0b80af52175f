import { expect, test } from 'vitest';
import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { addMs } from '#lib/time/instant.ts';
import { changesText, type SpokenPicture, selectedText } from './spoken-summary.tsx';

const aircraft = {
  received: 'Aircraft: 24 + 4 simulated',
  trouble: undefined,
  sentence: 'Aircraft: up to date, read 1 s ago',
};
const drones = {
  received: 'No drone positions received in this view',
  trouble: undefined,
  sentence: 'No drone positions received in this view',
};
const live: SpokenPicture = { replayedAt: undefined, layers: [aircraft, drones], selected: undefined };

test.each<[string, SpokenPicture | undefined, Partial<SpokenPicture>]>([
  ['Aircraft: 24 + 4 simulated. No drone positions received in this view.', undefined, {}],
  ['', live, {}],
  ['', live, { layers: [{ ...aircraft, sentence: 'Aircraft: up to date, read 2 s ago' }, drones] }],
  ['Aircraft: 25.', live, { layers: [{ ...aircraft, received: 'Aircraft: 25' }, drones] }],
  [
    'Aircraft: no answer from the service.',
    live,
    { layers: [{ ...aircraft, trouble: 'stale', sentence: 'Aircraft: no answer from the service' }, drones] },
  ],
  ['Selected drone 1a2b: altitude 12 m.', live, { selected: 'Selected drone 1a2b: altitude 12 m' }],
  ['', { ...live, selected: 'Selected drone 1a2b: altitude 12 m' }, {}],
  ['Replay, 10:15:00Z.', live, { replayedAt: '10:15:00Z' }],
  ['', { ...live, replayedAt: '10:15:00Z' }, { replayedAt: '10:15:30Z' }],
  ['Live.', { ...live, replayedAt: '10:15:00Z' }, {}],
])('%s', (text, before, change) => {
  expect(changesText(before, { ...live, ...change })).toBe(text);
});

const selected = (change: Partial<typeof plainPosition>, gone = false): SelectedTrack => ({
  position: { ...plainPosition, ref: '34636132', ...change },
  expiresAt: addMs(plainPosition.observedAt, 60_000),
  gone,
});
const spoken = (track: SelectedTrack, afterMs = 1000) =>
  selectedText(track, addMs(plainPosition.observedAt, afterMs), 'metric');

test('has the special states in words, and leaves out unreported values, which are never 0', () => {
  expect(spoken(selected({ simulated: true, emergencyState: 'nordo', altitudeM: 0 }))).toBe(
    'Selected aircraft 36132, simulated, no communications: altitude 0 m',
  );
  expect(spoken(selected({ testBroadcast: true }))).toBe('Selected aircraft 36132, test broadcast: no values reported');
});

test('an expired position is called expired, a removed one gone', () => {
  expect(spoken(selected({ altitudeM: 1200, headingDeg: 45 }), 61_000)).toBe(
    'Selected aircraft 36132: expired, altitude 1200 m, heading 45°',
  );
  expect(spoken(selected({ altitudeM: 1200 }, true))).toBe('Selected aircraft 36132: no longer on the map');
});
