import { expect, test } from 'vitest';
import { changesText, type HeardPicture } from './changes-text.ts';

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
const live: HeardPicture = { replayedAt: undefined, layers: [aircraft, drones], selected: undefined };

test.each<[string, HeardPicture | undefined, Partial<HeardPicture>]>([
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
