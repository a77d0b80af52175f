import { expect, test } from 'vitest';
import { overviewWindow } from './overview-query.ts';

const windowAt = (times: 'night' | 'work' | undefined, now: string, span: 24 | 168 | 720 = 24) => {
  const { start, end } = overviewWindow({ span, times }, { nowMs: Date.parse(now), zone: 'utc' });
  return [start.slice(0, 16), end.slice(0, 16)];
};

test('the last night is the one that ended today, and before its end the one that is under way', () => {
  expect(windowAt('night', '2026-11-27T13:30:00Z')).toEqual(['2026-11-26T20:00', '2026-11-27T06:00']);
  expect(windowAt('night', '2026-11-27T23:30:00Z')).toEqual(['2026-11-26T20:00', '2026-11-27T06:00']);
  expect(windowAt('night', '2026-11-28T02:10:00Z')).toEqual(['2026-11-27T20:00', '2026-11-28T03:00']);
});

test('working hours are of the last working day on which they have begun, up to the hour under way', () => {
  expect(windowAt('work', '2026-11-27T13:30:00Z')).toEqual(['2026-11-27T08:00', '2026-11-27T14:00']);
  expect(windowAt('work', '2026-11-27T07:30:00Z')).toEqual(['2026-11-26T08:00', '2026-11-26T18:00']);
  expect(windowAt('work', '2026-11-29T13:30:00Z'), 'a Sunday').toEqual(['2026-11-27T08:00', '2026-11-27T18:00']);
  expect(windowAt('work', '2026-11-30T07:00:00Z'), 'a Monday').toEqual(['2026-11-27T08:00', '2026-11-27T18:00']);
});

test('several days have as many nights, or working hours up to the last working day', () => {
  expect(windowAt('night', '2026-11-27T13:30:00Z', 168)).toEqual(['2026-11-20T20:00', '2026-11-27T06:00']);
  expect(windowAt('night', '2026-11-27T13:30:00Z', 720)).toEqual(['2026-10-28T20:00', '2026-11-27T06:00']);
  expect(windowAt('work', '2026-11-29T13:30:00Z', 168)).toEqual(['2026-11-21T08:00', '2026-11-27T18:00']);
});

test('the last hours end with the hour under way', () => {
  expect(windowAt(undefined, '2026-11-27T13:30:00Z')).toEqual(['2026-11-26T14:00', '2026-11-27T14:00']);
});
