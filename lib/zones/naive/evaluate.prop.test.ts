import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '#testing/budget.ts';
import { LATE_MS } from '../evaluation/times.ts';
import type { Transition } from '../evaluation/transition.ts';
import { Evaluator } from '../evaluation/world.fixture.ts';
import { arbitraryWorld, type World } from './arbitrary-world.fixture.ts';
import { naiveEvaluate } from './naive-evaluate.fixture.ts';
import type { NaiveTransition } from './naive-time.fixture.ts';

function byAlarm(transitions: readonly (NaiveTransition | Transition)[]) {
  const alarms = new Map<string, unknown[]>();
  for (const one of transitions) {
    const { type, key, kind, end, count, expected, perhapsSameAs } = one;
    const atMs = 'atMs' in one ? one.atMs : Number(one.at);
    alarms.set(key, [...(alarms.get(key) ?? []), { type, kind, end, count, expected, perhapsSameAs, atMs }]);
  }
  return Object.fromEntries([...alarms].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function evaluated(
  { zones, calls }: World,
  before: (evaluator: Evaluator, call: number) => void = () => {},
): Evaluator {
  const evaluator = new Evaluator(...zones);
  for (const [index, { observations, watched }] of calls.entries()) {
    before(evaluator, index);
    evaluator.answer(observations, watched);
  }
  return evaluator;
}

/** Within the time that late positions are recognised. */
function isShort({ observations, watched }: World['calls'][number]): boolean {
  const times = [...observations.map(({ position }) => position.observedAt), ...watched.map(({ to }) => to)].map(
    Number,
  );
  return Math.max(...times) - Math.min(...times) < LATE_MS;
}

describe('an evaluation', () => {
  test('gives the alarms of the naive evaluator', () => {
    fc.assert(
      fc.property(arbitraryWorld, (world) => {
        expect(byAlarm(evaluated(world).transitions)).toEqual(byAlarm(naiveEvaluate(world.zones, world.calls)));
      }),
      { numRuns: runs(100) },
    );
  });

  test('is the same after restarts from its stored rows', () => {
    fc.assert(
      fc.property(arbitraryWorld, fc.array(fc.boolean(), { minLength: 1, maxLength: 50 }), (world, restarts) => {
        const restarted = evaluated(world, (evaluator, call) => {
          if (restarts[call % restarts.length]) evaluator.restart();
        });
        expect(restarted.transitions).toEqual(evaluated(world).transitions);
      }),
      { numRuns: runs(100) },
    );
  });

  test('is the same in every order of an answer, and if an answer is read again', () => {
    fc.assert(
      fc.property(arbitraryWorld, (world) => {
        const reversed = world.calls.map(({ observations, watched }) => ({
          observations: observations.toReversed(),
          watched: watched.toReversed(),
        }));
        const twice = reversed.flatMap((call) => (isShort(call) ? [call, call] : [call]));
        expect(evaluated({ ...world, calls: twice }).transitions).toEqual(evaluated(world).transitions);
      }),
      { numRuns: runs(100) },
    );
  });

  test('gives each alarm a key of its own, opens it once, and changes it only while it is open', () => {
    fc.assert(
      fc.property(arbitraryWorld, (world) => {
        const open = new Map<string, boolean>();
        const lost = new Set<string>();
        for (const { type, key, end } of evaluated(world).transitions) {
          const isOpen = open.get(key);
          if (type === 'opened') expect(isOpen).toBeUndefined();
          // The silence turned out not to have been watched.
          else if (type === 'unknown' && !isOpen) expect(lost.has(key)).toBe(true);
          else if (type === 'reopened' || type === 'returned') expect(isOpen).toBeDefined();
          else expect(isOpen).toBe(true);
          open.set(key, type !== 'ended');
          if (end === 'lost' || end === 'reference_gone') lost.add(key);
          else lost.delete(key);
        }
      }),
      { numRuns: runs(100) },
    );
  });
});
