import { expect, test } from 'vitest';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { parseInstant } from '#lib/time/instant.ts';
import { subjectText } from '#lib/zones/alarm-words.ts';
import {
  alarmAgeText,
  alarmTags,
  callText,
  lostText,
  noteTexts,
  openedText,
  stateText,
  unwatchedText,
  whenText,
} from './alarm-text.ts';

const NOW = parseInstant('2026-11-27T12:03:00Z');

test('names reason and time of each state, and never calls silence an end', () => {
  expect(stateText(alarmOf(1), 'utc')).toBe('Open');
  expect(stateText(alarmOf(1, { state: 'unknown', unknown_since: '2026-11-27T12:01:00Z' }), 'utc')).toBe(
    'Lost since 12:01:00Z: not watched',
  );
  const ended = { state: 'ended', ended_at: '2026-11-27T12:02:00Z' } as const;
  expect(stateText(alarmOf(1, { ...ended, ended: 'lost' }), 'utc')).toBe('Ended 12:02:00Z: no longer received');
  expect(stateText(alarmOf(1, { ...ended, ended: 'left' }), 'utc')).toBe('Ended 12:02:00Z: left the zone');
});

test('shows the age of an alarm, and its date on another day', () => {
  expect(openedText(alarmOf(1), NOW, 'utc')).toBe('12:00:00Z');
  expect(alarmAgeText(alarmOf(1), NOW)).toBe('3 min ago');
  const later = parseInstant('2026-11-28T12:00:00Z');
  expect(openedText(alarmOf(1), later, 'utc')).toBe('2026-11-27 12:00:00Z');
  expect(alarmAgeText(alarmOf(1), later)).toBe('24 h ago');
  expect(whenText(alarmOf(1), NOW, 'utc')).toBe('3 min ago');
  expect(whenText(alarmOf(1), later, 'utc')).toBe('2026-11-27 12:00:00Z, 24 h ago');
  expect(whenText(alarmOf(1), undefined, 'utc')).toBe('2026-11-27 12:00:00Z');
  expect(openedText(alarmOf(1), undefined, 'utc')).toBe('2026-11-27 12:00:00Z');
  expect(alarmAgeText(alarmOf(1), undefined)).toBe('');
});

test('dates a stretch of the log, and its end on another day', () => {
  const lost = { layer: 'adsb', from: '2026-11-26T23:50:00Z', to: '2026-11-27T00:10:00Z', reason: 'upstream' } as const;
  expect(lostText(lost, 'utc')).toBe(
    'Aircraft: not read for any zone from 2026-11-26 23:50:00Z to 2026-11-27 00:10:00Z (the service does not answer)',
  );
  const { reason, from } = lost;
  const stretch = { from, to: '2026-11-26T23:55:00Z', state: 'partly', reason, zone: { name: 'Gate' } } as const;
  expect(unwatchedText(stretch, 'utc')).toBe(
    'Gate partly watched from 2026-11-26 23:50:00Z to 23:55:00Z: the service does not answer',
  );
});

test('says that all receivers were down, or that there is none', () => {
  const span = { from: '2026-11-27T12:00:00Z', to: '2026-11-27T12:10:00Z' };
  expect(lostText({ layer: 'adsb', ...span, reason: 'receivers_lost' }, 'utc')).toBe(
    'Aircraft: all receivers were down from 2026-11-27 12:00:00Z to 12:10:00Z, so no zone was watched',
  );
  expect(lostText({ layer: 'rid', ...span, reason: 'not_equipped' }, 'utc')).toBe(
    'Drones: no receiver for this layer from 2026-11-27 12:00:00Z to 12:10:00Z, so no zone was watched',
  );
});

test('tags what is not real, found later, or without a height', () => {
  const tagsOf = (alarm: Alarm) => alarmTags(alarm, NOW, 'utc');
  expect(tagsOf(alarmOf(1))).toEqual([]);
  const alarm = alarmOf(1, { simulated: true, test: true, found_later: 420, height_unknown: true, count: 3 });
  expect(tagsOf(alarm)).toEqual(['SIM', 'TEST', 'Height unknown', 'Found 7 min later', '3 times']);
  const permit = { name: 'Survey flight, police', until: '2026-11-27T16:00:00Z' };
  expect(tagsOf(alarmOf(1, { expected: true, permit }))).toEqual(['Permitted: Survey flight, police, until 16:00Z']);
  expect(tagsOf(alarmOf(1, { expected: true }))).toEqual(['Permitted']);
});

test('a flood is one sentence, and a simulated alarm says so first', () => {
  const flood = Array.from({ length: 42 }, (_, index) => alarmOf(index));
  expect(callText(flood)).toMatch(/^Drone 00000 in Runway 14\/32\. And 41 more in Runway 14\/32\.$/);
  expect(callText([alarmOf(1, { simulated: true })])).toMatch(/^Simulated\. /);
  expect(callText([])).toBe('');
});

test('says who acknowledged or closed an alarm, until when, and the comment', () => {
  const acknowledged = { by: 'tower', at: '2026-11-27T12:01:00Z', until: null, comment: 'police drone' };
  const covering = 'Acknowledged by tower at 12:01:00Z, until the alarm ends: “police drone”';
  expect(noteTexts(alarmOf(1, { acknowledged }), 'utc')).toEqual([covering]);
  const closing = {
    kind: 'closed',
    by: '',
    at: '2026-11-27T12:01:00Z',
    until: null,
    as: 'nuisance',
    comment: '',
  } as const;
  expect(noteTexts(alarmOf(1, { acknowledged, notes: [closing] }), 'utc')).toEqual([
    covering,
    'Closed as nuisance by an operator at 12:01:00Z',
  ]);
  const own = { kind: 'acknowledged', as: null, ...acknowledged } as const;
  expect(noteTexts(alarmOf(1, { acknowledged, notes: [own, closing] }), 'utc')).toHaveLength(2);
});

test('names both tracks, and an alarm about no track', () => {
  expect(subjectText(alarmOf(1, { other: { layer: 'adsb', ref: 'adsb-0-0123456789abcdef' } }))).toMatch(
    /^Drone .+ and aircraft .+$/,
  );
  expect(subjectText(alarmOf(1, { track: null }))).toBe('Drones');
});
