import { expect, test } from 'vitest';
import type { Zone } from '#lib/api/watching/zones.ts';
import { instantOf } from '#lib/time/instant.ts';
import { alarmOf, ZONE_ID } from '../alarms/alarm.fixture.ts';
import { crossing, pastOf, WINDOW } from './crossing.fixture.ts';
import { tryRules, verdictToday } from './try-rules.ts';
import { newDraft, newRule, withShape, zoneOf } from './zone-draft.ts';

const CIRCLE = { type: 'Circle' as const, centre: [8.5, 47.4] as [number, number], radius_m: 2000 };

test('a crossing raises one alarm at the second of its first position inside, which ends', () => {
  const draft = withShape({ ...newDraft('traffic'), rules: [newRule('entered')] }, CIRCLE);
  const { alarms, positions } = tryRules(draft, pastOf(crossing(false)), WINDOW);
  expect(alarms).toHaveLength(1);
  expect(alarms[0]).toMatchObject({ kind: 'entered', heightUnknown: false, expected: false });
  expect(alarms[0]?.end).toBeDefined();
  expect(positions).toBe(41);
});

test('leaves simulated positions out, and far ones', () => {
  const draft = withShape(newDraft('traffic'), CIRCLE);
  expect(tryRules(draft, pastOf(crossing(true)), WINDOW).alarms).toEqual([]);
  const far = withShape(newDraft('traffic'), { ...CIRCLE, centre: [20, 10] });
  expect(tryRules(far, pastOf(crossing(false)), WINDOW)).toMatchObject({ alarms: [], positions: 0 });
});

test('includes tracks as far away as a rule looks ahead', () => {
  const rule = { ...newRule('about_to_enter'), within_s: 600 };
  const far = withShape(
    { ...newDraft('traffic'), rules: [rule as ReturnType<typeof newRule>] },
    { ...CIRCLE, centre: [9.4, 47.4] },
  );
  const fast = crossing(false).map((record) => ({ ...record, speed_mps: 250, heading_deg: 90 }));
  expect(tryRules(far, pastOf(fast), WINDOW).alarms).toMatchObject([{ kind: 'about_to_enter' }]);
});

test('counts from the start of the window, and knows the way in before it', () => {
  const draft = withShape({ ...newDraft('traffic'), rules: [newRule('entered')] }, CIRCLE);
  const later = { start: instantOf('2026-11-27T12:06:00Z'), end: WINDOW.end };
  expect(tryRules(draft, pastOf(crossing(false)), later)).toMatchObject({ alarms: [], positions: 11 });
});

test('names the busiest hour, and whether a rule would be suspended', () => {
  const draft = withShape({ ...newDraft('traffic'), rules: [newRule('entered')] }, CIRCLE);
  const result = tryRules(draft, pastOf(crossing(false)), WINDOW);
  expect(result).toMatchObject({ isSuspended: false, busiest: { alarms: 1 } });
  expect(result.busiest?.start).toBe(instantOf('2026-11-27T12:00:00Z'));
  expect(tryRules(withShape(newDraft('traffic'), CIRCLE), pastOf(crossing(true)), WINDOW).busiest).toBeUndefined();
});

const draft = withShape(newDraft('traffic'), { type: 'Circle', centre: [8.5, 47.4], radius_m: 2000 });
const store = pastOf(crossing(false));
const [raised] = tryRules(draft, store, WINDOW).alarms;
const alarm = alarmOf(1, {
  layer: raised?.ref?.startsWith('rid') ? 'rid' : 'adsb',
  track: raised?.ref ?? null,
  opened_at: new Date(Number(raised?.at)).toISOString(),
});

function zoneWith(changed: Partial<Zone>): Zone {
  const content = zoneOf(draft);
  if (!content) throw new Error('the draft has a shape');
  const about = {
    id: ZONE_ID,
    revision: 2,
    mine: true,
    owner: null,
    changed_at: '2026-11-27T13:00:00Z',
    removed_at: null,
  };
  return { ...content, ...about, rules: [{ ...newRule('entered'), id: alarm.rule.id }], ...changed };
}

test('is the same for an unchanged zone', () => {
  expect(verdictToday(alarm, [zoneWith({})], store)).toEqual({ kind: 'same' });
});

test('differs where the zone is smaller, elsewhere, without the rule, or removed', () => {
  const circle = (centre: [number, number], radius_m: number) => ({ type: 'Circle' as const, centre, radius_m });
  expect(verdictToday(alarm, [zoneWith({ shape: circle([8.5, 47.4], 1000) })], store)).toMatchObject({
    kind: 'other',
    as: 'entered',
  });
  expect(verdictToday(alarm, [zoneWith({ shape: circle([8.5, 47.5], 1000) })], store)).toEqual({ kind: 'none' });
  expect(verdictToday(alarm, [zoneWith({ rules: [] })], store)).toEqual({ kind: 'rule_removed' });
  expect(verdictToday(alarm, [], store)).toEqual({ kind: 'zone_removed' });
});

test('is not known where the loaded past has not the time of the alarm', () => {
  expect(verdictToday({ ...alarm, opened_at: '2026-11-26T12:00:00Z' }, [zoneWith({})], store)).toBeUndefined();
});
