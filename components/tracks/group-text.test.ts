import { expect, test } from 'vitest';
import type { GroupName, TrackGroup } from '#lib/picture/list-tracks.ts';
import { groupText } from './track-rows.tsx';

const none = { real: 0, simulated: 0, test: 0 };
const group = (name: GroupName): TrackGroup => ({
  name,
  counts: { current: { real: 4, simulated: 2, test: 0 }, expired: name === 'drone' ? { ...none, real: 1 } : none },
});

test('a heading counts real and simulated positions apart, and expired ones by themselves', () => {
  const [aircraft, drones] = [group('aircraft'), group('drone')];
  expect([aircraft, drones].map((each) => groupText(each, [aircraft, drones]))).toEqual([
    'Aircraft: 4 + 2 simulated',
    'Drones: 4 + 2 simulated · 1 expired',
  ]);
});

test('where emergencies have a heading, the others say that they are the rest', () => {
  const groups = (['emergency', 'aircraft', 'drone'] as const).map(group);
  expect(groups.map((each) => groupText(each, groups).split(':')[0])).toEqual([
    'Emergencies',
    'Other aircraft',
    'Other drones',
  ]);
});
