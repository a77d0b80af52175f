import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { NEW_BUDGET, NoticeBudget, type NoticeLimits } from './notice-budget.ts';

interface Made {
  readonly id: string;
  readonly key: string;
  readonly dueMs: number;
  readonly isSummary: boolean;
  readonly transitions: number[];
}

const limits = fc.record({
  groupMs: fc.constantFrom(0, 10 * SECOND_MS, HOUR_MS),
  noticesAnHour: fc.option(fc.integer({ min: 1, max: 5 })),
});
const stepsAfter = (afterMs: fc.Arbitrary<number>) =>
  fc.array(fc.record({ afterMs, key: fc.constantFrom('a', 'b', 'c') }), { maxLength: 200 });
const steps = stepsAfter(fc.nat(20 * MINUTE_MS));
/** Steps over servers whose clocks differ. */
const skewedSteps = stepsAfter(fc.integer({ min: -5 * SECOND_MS, max: MINUTE_MS }));
const START_MS = Date.UTC(2026, 10, 27, 12, 34);

/** Restarts before each step: all state is what the database keeps. */
function run(of: NoticeLimits, all: readonly { readonly afterMs: number; readonly key: string }[]): readonly Made[] {
  const made: Made[] = [];
  let state = NEW_BUDGET;
  let nowMs = START_MS;
  for (const [transition, { afterMs, key }] of all.entries()) {
    nowMs += afterMs;
    const waiting = made.filter(({ isSummary, dueMs }) => !isSummary && dueMs > nowMs);
    const budget = new NoticeBudget(
      of,
      state,
      waiting.map((notice) => [notice.key, notice] as const),
    );
    const id = `notice ${transition}`;
    const placement = budget.place(key, nowMs, id);
    state = budget.state;
    if (placement.kind !== 'group' && (placement.kind === 'notice' || placement.isNew))
      made.push({ id, key, dueMs: placement.dueMs, isSummary: placement.kind === 'summary', transitions: [] });
    const into = made.find((notice) => notice.id === (placement.kind === 'notice' ? id : placement.id));
    expect(into?.dueMs).toBeGreaterThanOrEqual(nowMs);
    into?.transitions.push(transition);
  }
  return made;
}

test('places every transition in exactly one notice that was not sent yet', () => {
  fc.assert(
    fc.property(limits, steps, (of, all) => {
      const placed = run(of, all).flatMap(({ transitions }) => transitions);
      expect(placed.toSorted((a, b) => a - b)).toEqual([...all.keys()]);
    }),
  );
});

test('never makes more notices in an hour than the budget, with the summary of the hour before', () => {
  fc.assert(
    fc.property(limits, steps, ({ noticesAnHour }, all) => {
      const of = { groupMs: 0, noticesAnHour };
      const byHour = Map.groupBy(run(of, all), ({ dueMs }) => Math.floor(dueMs / HOUR_MS));
      for (const made of byHour.values())
        expect(made.length).toBeLessThanOrEqual(noticesAnHour ?? Number.POSITIVE_INFINITY);
    }),
  );
});

test('groups only equal keys, within the time', () => {
  fc.assert(
    fc.property(limits, fc.oneof(steps, skewedSteps), (of, all) => {
      for (const { key, isSummary, transitions } of run(of, all)) {
        if (isSummary) continue;
        expect(new Set(transitions.map((at) => all[at]?.key))).toEqual(new Set([key]));
        if (of.groupMs === 0) expect(transitions).toHaveLength(1);
      }
    }),
  );
});

test('keeps to its hour where the clock is set back', () => {
  const budget = new NoticeBudget({ groupMs: 0, noticesAnHour: 1 }, NEW_BUDGET, []);
  expect(budget.place('a', START_MS, 'one')).toMatchObject({ kind: 'notice' });
  expect(budget.place('a', START_MS - HOUR_MS, 'two')).toMatchObject({ kind: 'summary', isNew: true });
});
