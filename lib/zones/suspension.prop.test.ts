import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '#testing/budget.ts';
import { isSuspension } from './alarm.ts';
import { BOUNDS, type EvaluationBounds } from './evaluation/tally.ts';
import type { Transition } from './evaluation/transition.ts';
import { Evaluator } from './evaluation/world.fixture.ts';
import { arbitraryWorld, type World } from './naive/arbitrary-world.fixture.ts';

const arbitraryBounds = fc.record({
  rule: fc.record({ open: fc.integer({ min: 1, max: 3 }), followed: fc.integer({ min: 1, max: 4 }) }),
  all: fc.record({ open: fc.integer({ min: 1, max: 6 }), followed: fc.integer({ min: 1, max: 8 }) }),
  neighbours: fc.integer({ min: 1, max: 3 }),
  work: fc.integer({ min: 5, max: 1000 }),
});

function evaluated(
  { zones, calls }: World,
  bounds: EvaluationBounds,
  before: (evaluator: Evaluator, call: number) => void = () => {},
) {
  const evaluator = new Evaluator(...zones);
  evaluator.bound(bounds);
  for (const [call, { observations, watched }] of calls.entries()) {
    before(evaluator, call);
    evaluator.answer(observations, watched);
  }
  return evaluator;
}

/** A loss that a late note undoes opens nothing: the alarm is open again, and its state unknown. */
function isOpening({ type, kind }: Transition): boolean {
  return ['opened', 'reopened', 'returned'].includes(type) && !isSuspension(kind) && kind !== 'nothing_received';
}

/** Open after each transition, by layer of a rule. */
function* openAfterEach(transitions: readonly Transition[]) {
  const open = new Map<string, Transition>();
  for (const transition of transitions) {
    const wasOpen = open.has(transition.key);
    if (transition.type === 'ended') open.delete(transition.key);
    else open.set(transition.key, transition);
    const all = [...open.values()];
    yield { transition, wasOpen, all, of: (is: (one: Transition) => boolean) => all.filter(is).length };
  }
}

test('no rule, and no operator, ever has more open alarms than its bound', () => {
  fc.assert(
    fc.property(arbitraryWorld, arbitraryBounds, (world, bounds) => {
      const rules = world.zones.reduce((sum, zone) => sum + zone.rules.length, 0);
      const { transitions } = evaluated(world, bounds);
      for (const { transition, of } of openAfterEach(transitions)) {
        if (!isOpening(transition)) continue;
        const isOwn = ({ rule, layer, kind }: Transition) =>
          rule === transition.rule && layer === transition.layer && !isSuspension(kind);
        expect(of(isOwn)).toBeLessThanOrEqual(bounds.rule.open);
        const isTracks = ({ kind }: Transition) => !isSuspension(kind) && kind !== 'nothing_received';
        // Each rule keeps a part, of one layer at least.
        expect(of(isTracks)).toBeLessThanOrEqual(bounds.all.open + 2 * rules * Math.ceil(bounds.all.open / rules));
      }
    }),
    { numRuns: runs(100) },
  );
});

test('a rule has one alarm about itself at a time, and opens no other meanwhile', () => {
  fc.assert(
    fc.property(arbitraryWorld, arbitraryBounds, (world, bounds) => {
      for (const { transition, wasOpen, all } of openAfterEach(evaluated(world, bounds).transitions)) {
        const { rule, layer } = transition;
        const own = all.filter((one) => one.rule === rule && one.layer === layer && isSuspension(one.kind));
        expect(own.length).toBeLessThanOrEqual(1);
        if (isOpening(transition) && !wasOpen) expect(own).toEqual([]);
      }
    }),
    { numRuns: runs(100) },
  );
});

test('a restart from the stored rows keeps the suspended rules', () => {
  // The count of tracks that are not followed begins again.
  const uncounted = ({ transitions }: Evaluator) =>
    transitions
      .filter(({ type }) => type !== 'counted')
      .map((one) => (isSuspension(one.kind) ? { ...one, count: 0 } : one));
  fc.assert(
    fc.property(arbitraryWorld, arbitraryBounds, (world, bounds) => {
      const restarted = evaluated(world, bounds, (evaluator) => evaluator.restart());
      expect(uncounted(restarted)).toEqual(uncounted(evaluated(world, bounds)));
    }),
    { numRuns: runs(100) },
  );
});

test('a rule that throws stops no other', () => {
  fc.assert(
    fc.property(arbitraryWorld, fc.nat(), (world, which) => {
      const all = world.zones.flatMap(({ rules }) => rules);
      const bad = all[which % all.length];
      const zones = world.zones.map((zone) => ({
        ...zone,
        rules: zone.rules.map((rule) => (rule === bad ? thrower(rule) : rule)),
      }));
      const withBad = evaluated({ ...world, zones }, BOUNDS);
      const others = ({ transitions }: Evaluator) => transitions.filter(({ rule }) => rule !== bad?.id);
      expect(others(withBad)).toEqual(others(evaluated(world, BOUNDS)));
      for (const { rule } of withBad.failures) expect(rule).toBe(bad?.id);
      for (const { kind, rule } of withBad.transitions) if (rule === bad?.id) expect(kind).toBe('rule_failed');
    }),
    { numRuns: runs(100) },
  );
});

function thrower<Rule extends object>(rule: Rule): Rule {
  return Object.defineProperty({ ...rule }, 'min_receivers', {
    get: () => {
      throw new Error('a defect');
    },
  });
}
