import { expect, test } from 'vitest';
import { plainRecord } from '#lib/api/arbitrary-record.fixture.ts';
import { instantOf } from '#lib/time/instant.ts';
import { observationColumns } from '../replay/store/observation-columns.fixture.ts';
import { ReplayStore } from '../replay/store/replay-store.ts';
import { tryRules } from './try-rules.ts';
import { newDraft, newRule, withShape } from './zone-draft.ts';

const WINDOW = { start: instantOf('2026-11-27T12:00:00Z'), end: instantOf('2026-11-27T12:10:00Z') };
const CIRCLE = { type: 'Circle' as const, centre: [8.5, 47.4] as [number, number], radius_m: 2000 };

/** One position each 10 s, from 5 km west of the middle of the circle to 5 km east of it. */
function crossing(simulated: boolean) {
  return Array.from({ length: 41 }, (_, step) => ({
    ...plainRecord,
    observed_at: new Date(Date.parse('2026-11-27T12:01:00Z') + step * 10_000).toISOString(),
    longitude: 8.4335 + step * 0.003325,
    latitude: 47.4,
    simulated,
  }));
}

function storeOf(records: ReturnType<typeof crossing>): ReplayStore {
  const store = new ReplayStore({ window: WINDOW });
  store.add(observationColumns(records));
  return store;
}

test('a crossing raises one alarm at the second of its first position inside, which ends', () => {
  const draft = withShape({ ...newDraft(), rules: [newRule('entered')] }, CIRCLE);
  const { alarms, positions } = tryRules(draft, storeOf(crossing(false)), WINDOW);
  expect(alarms).toHaveLength(1);
  expect(alarms[0]).toMatchObject({ kind: 'entered', heightUnknown: false, expected: false });
  expect(alarms[0]?.end).toBeDefined();
  expect(positions).toBe(41);
});

test('leaves simulated positions out, and far ones', () => {
  const draft = withShape(newDraft(), CIRCLE);
  expect(tryRules(draft, storeOf(crossing(true)), WINDOW).alarms).toEqual([]);
  const far = withShape(newDraft(), { ...CIRCLE, centre: [20, 10] });
  expect(tryRules(far, storeOf(crossing(false)), WINDOW)).toMatchObject({ alarms: [], positions: 0 });
});

test('counts from the start of the window, and knows the way in before it', () => {
  const draft = withShape({ ...newDraft(), rules: [newRule('entered')] }, CIRCLE);
  const later = { start: instantOf('2026-11-27T12:06:00Z'), end: WINDOW.end };
  expect(tryRules(draft, storeOf(crossing(false)), later)).toMatchObject({ alarms: [], positions: 11 });
});
