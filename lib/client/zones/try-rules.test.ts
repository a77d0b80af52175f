import { expect, test } from 'vitest';
import { instantOf } from '#lib/time/instant.ts';
import { crossing, pastOf, WINDOW } from './crossing.fixture.ts';
import { tryRules } from './try-rules.ts';
import { newDraft, newRule, withShape } from './zone-draft.ts';

const CIRCLE = { type: 'Circle' as const, centre: [8.5, 47.4] as [number, number], radius_m: 2000 };

test('a crossing raises one alarm at the second of its first position inside, which ends', () => {
  const draft = withShape({ ...newDraft(), rules: [newRule('entered')] }, CIRCLE);
  const { alarms, positions } = tryRules(draft, pastOf(crossing(false)), WINDOW);
  expect(alarms).toHaveLength(1);
  expect(alarms[0]).toMatchObject({ kind: 'entered', heightUnknown: false, expected: false });
  expect(alarms[0]?.end).toBeDefined();
  expect(positions).toBe(41);
});

test('leaves simulated positions out, and far ones', () => {
  const draft = withShape(newDraft(), CIRCLE);
  expect(tryRules(draft, pastOf(crossing(true)), WINDOW).alarms).toEqual([]);
  const far = withShape(newDraft(), { ...CIRCLE, centre: [20, 10] });
  expect(tryRules(far, pastOf(crossing(false)), WINDOW)).toMatchObject({ alarms: [], positions: 0 });
});

test('includes tracks as far away as a rule looks ahead', () => {
  const rule = { ...newRule('about_to_enter'), within_s: 600 };
  const far = withShape(
    { ...newDraft(), rules: [rule as ReturnType<typeof newRule>] },
    { ...CIRCLE, centre: [9.4, 47.4] },
  );
  const fast = crossing(false).map((record) => ({ ...record, speed_mps: 250, heading_deg: 90 }));
  expect(tryRules(far, pastOf(fast), WINDOW).alarms).toMatchObject([{ kind: 'about_to_enter' }]);
});

test('counts from the start of the window, and knows the way in before it', () => {
  const draft = withShape({ ...newDraft(), rules: [newRule('entered')] }, CIRCLE);
  const later = { start: instantOf('2026-11-27T12:06:00Z'), end: WINDOW.end };
  expect(tryRules(draft, pastOf(crossing(false)), later)).toMatchObject({ alarms: [], positions: 11 });
});

test('names the busiest hour, and whether a rule would be suspended', () => {
  const draft = withShape({ ...newDraft(), rules: [newRule('entered')] }, CIRCLE);
  const result = tryRules(draft, pastOf(crossing(false)), WINDOW);
  expect(result).toMatchObject({ isSuspended: false, busiest: { alarms: 1 } });
  expect(result.busiest?.start).toBe(instantOf('2026-11-27T12:00:00Z'));
  expect(tryRules(withShape(newDraft(), CIRCLE), pastOf(crossing(true)), WINDOW).busiest).toBeUndefined();
});
