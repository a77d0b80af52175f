import { expect, test } from 'vitest';
import type { Zone } from '#lib/api/watching/zones.ts';
import { alarmOf, ZONE_ID } from '../alarms/alarm.fixture.ts';
import { crossing, pastOf, WINDOW } from './crossing.fixture.ts';
import { tryRules } from './try-rules.ts';
import { verdictToday } from './verdict-today.ts';
import { newDraft, newRule, withShape, zoneOf } from './zone-draft.ts';

const draft = withShape(newDraft(), { type: 'Circle', centre: [8.5, 47.4], radius_m: 2000 });
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
