import { expect, test } from 'vitest';
import type { WatchedNow } from '#lib/api/watching/zones.ts';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { newRule } from '#lib/client/zones/zone-draft.ts';
import { instantOf } from '#lib/time/instant.ts';
import { RULE_KINDS } from '#lib/zones/rule-kinds.ts';
import { trialWarning } from './try-rules-part.tsx';
import { zoneProblem } from './zone-changes.ts';
import { daysText, hoursText, priceText, ruleText, verticalText, watchedText } from './zone-text.ts';

const WINTER_MS = Date.parse('2026-01-15T12:00:00Z');
const SUMMER_MS = Date.parse('2026-07-15T12:00:00Z');

test('shows hours in their time zone, and in UTC at its present offset', () => {
  const hours = { time_zone: 'Europe/Zurich', weekly: [{ days: ['mon' as const], from: '22:00', to: '06:30' }] };
  expect(hoursText(hours, WINTER_MS)).toBe('Mon 22:00–06:30 (21:00–05:30 UTC now), Europe/Zurich');
  expect(hoursText(hours, SUMMER_MS)).toBe('Mon 22:00–06:30 (20:00–04:30 UTC now), Europe/Zurich');
  expect(hoursText({ ...hours, time_zone: 'Europe/Nowhere' }, SUMMER_MS)).toBe('Mon 22:00–06:30, Europe/Nowhere');
  expect(hoursText({ time_zone: 'Asia/Kolkata', from: '2026-07-01T09:00', to: '2026-07-01T17:00' }, WINTER_MS)).toBe(
    '2026-07-01 09:00 to 2026-07-01 17:00, Asia/Kolkata (2026-07-01 03:30 to 2026-07-01 11:30 UTC)',
  );
  expect(hoursText(null, WINTER_MS)).toBe('Always');
});

test('joins days that follow each other', () => {
  expect(daysText(['fri', 'mon', 'tue', 'wed', 'sun'])).toBe('Mon–Wed, Fri, Sun');
  expect(daysText(['sat', 'sun'])).toBe('Sat, Sun');
  expect(daysText(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])).toBe('Daily');
});

test('every rule is a sentence of its own, in the units of the operator', () => {
  const texts = RULE_KINDS.map((kind) => ruleText(newRule(kind), 'aviation'));
  expect(new Set(texts).size).toBe(RULE_KINDS.length);
  expect(texts).toContain('Above 393.7 ft (height above ground (estimated)) — drones and aircraft');
  const held = {
    ...newRule('entered'),
    layers: ['rid' as const],
    hold_s: 20,
    hold_m: 50,
    hold_out_s: 0,
    hold_out_m: 0,
    min_receivers: 2,
    test: true,
  };
  expect(ruleText(held, 'metric')).toBe(
    'Entered — drones, after 20 s or 50 m inside, ends at once, 2 receivers or more, test broadcasts too',
  );
});

test('names the height field, and keeps a limit that is not stated apart from 0', () => {
  const limits = { field: 'altitude_m', floor_m: 0, ceiling_m: null, unknown: 'excluded' } as const;
  expect(verticalText(limits, 'metric')).toBe('From 0 m, altitude, datum not stated. An unknown height does not count');
  expect(verticalText({ ...limits, floor_m: null }, 'metric', true)).toBe(
    'Limits not stated, altitude, datum not stated',
  );
});

test('says what a zone costs, what the allowance affords, and why it is not watched', () => {
  expect(priceText({ requests_a_day: null, affordable_a_day: null, every_s: null })).toBe('');
  expect(priceText({ requests_a_day: 90, affordable_a_day: 90, every_s: 60 })).toBe('90 requests a day');
  expect(priceText({ requests_a_day: 90, affordable_a_day: 40, every_s: null })).toBe(
    '90 requests a day; with one open page the allowance affords 40',
  );
  const since = '2026-11-27T08:00:00Z';
  const watched = { state: 'partly', since, reason: 'capped' } as const;
  const always = { rules: [{ ...newRule('entered'), id: 'a' }], hours: null };
  expect(watchedText(always, watched, 'utc')).toEqual({
    text: 'Partly watched since 08:00Z: the service sends only a part',
    tone: 'warning',
  });
  const weekly = { time_zone: 'Europe/Zurich', weekly: [{ days: ['mon' as const], from: '22:00', to: '06:30' }] };
  expect(watchedText(always, null, 'utc').text).toBe('Not watched yet');
  expect(watchedText({ ...always, hours: weekly }, null, 'utc').text).toBe('Not watched yet, or outside its hours');
  expect(watchedText({ ...always, rules: [] }, watched, 'utc').text).toBe('Not watched: the zone has no rule');
});

test('says of each layer how it is watched, where they differ', () => {
  const since = '2026-11-27T08:00:00Z';
  const always = { rules: [{ ...newRule('entered'), id: 'a' }], hours: null };
  const aircraft = { layer: 'adsb', state: 'watched', since, reason: null } as const;
  const equipped = { layer: 'rid', state: 'not_watched', since, reason: 'not_equipped' } as const;
  const lost = { ...aircraft, state: 'not_watched', since: '2026-11-27T12:04:31Z', reason: 'receivers_lost' } as const;
  const text = (...layers: NonNullable<WatchedNow['layers']>) =>
    watchedText(always, { state: 'partly', since, reason: 'not_equipped', layers }, 'utc');
  expect(text(equipped, aircraft)).toEqual({
    text: 'Drones: no receiver for this layer. Aircraft watched since 08:00Z',
    tone: 'neutral',
  });
  expect(text(equipped, lost)).toEqual({
    text: 'Drones: no receiver for this layer. Aircraft not watched since 12:04:31Z: all receivers were down',
    tone: 'warning',
  });
  const { since: lostSince, state, reason } = lost;
  const one = { state, since: lostSince, reason, layers: [lost] };
  expect(watchedText(always, one, 'utc')).toEqual({
    text: 'Not watched since 12:04:31Z: all receivers were down',
    tone: 'warning',
  });
});

test('errors of the server go to their fields; others are general', () => {
  const refused = (code: string, said?: string) => zoneProblem(new LookoutRequestError('refused', { code, said }));
  expect(refused('bad_body', 'vertical: has a floor above its ceiling; rules.1.hold_s: is too big')).toEqual({
    fields: { vertical: 'has a floor above its ceiling', rules: 'no. 2 hold s is too big' },
    general: undefined,
  });
  expect(refused('bad_body', 'The body is not JSON.')).toEqual({ fields: {}, general: 'The body is not JSON.' });
  expect(refused('name_taken', 'There is one.')).toEqual({ fields: { name: 'There is one.' }, general: undefined });
  expect(zoneProblem(new LookoutRequestError('unreachable')).general).toMatch(/No answer/);
});

test('a trial warns of more alarms than an operator can look at, and of a suspended rule', () => {
  const window = { start: instantOf('2026-11-27T00:00:00Z'), end: instantOf('2026-11-28T00:00:00Z') };
  const start = instantOf('2026-11-27T14:00:00Z');
  const of = (alarms: number, isSuspended = false) =>
    trialWarning({ alarms: [], window, positions: 0, isSuspended, busiest: { start, alarms } }, 'utc');
  expect(of(60)).toBeUndefined();
  expect(of(412)).toBe('Busiest hour: 412 alarms from 14:00Z. Narrow the rule.');
  expect(of(300, true)).toMatch(/suspend/);
});
