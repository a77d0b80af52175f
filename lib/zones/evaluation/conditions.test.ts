import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import type { WatchedRule } from './transition.ts';
import { Evaluator, note, notWatched, ruleOf, seen, words, zoneOf } from './world.fixture.ts';

function evaluatorOf(rule: { kind: WatchedRule['kind'] } & Record<string, unknown>) {
  return new Evaluator(zoneOf({ rules: [ruleOf(rule)] }));
}

function inside(evaluator: Evaluator, changes: readonly Partial<Position>[]): string[] {
  for (const [index, change] of changes.entries()) evaluator.answer([seen(index * 5, 500, change)]);
  return words(evaluator.transitions);
}

describe('nothing received', () => {
  const rule = { kind: 'nothing_received', layers: ['rid'], for_s: 120 } as const;

  test('opens after watched time without a position in the zone, and ends with one', () => {
    const evaluator = evaluatorOf(rule);
    evaluator.answer([seen(0, 500)], [note(-10, 0)]);
    expect(words(evaluator.answer([], [note(0, 200)]))).toEqual(['+120 opened nothing_received']);
    expect(words(evaluator.answer([seen(205, 500)], [note(200, 206)]))).toEqual(['+205 ended left']);
  });

  test('does not count time that was not fully watched', () => {
    const evaluator = evaluatorOf(rule);
    evaluator.answer([seen(0, 500)], [note(-10, 0)]);
    const partly = note(700, 1000, { state: 'partly', reason: 'capped' });
    expect(evaluator.answer([], [note(0, 100), notWatched(100, 700), partly])).toEqual([]);
    expect(words(evaluator.answer([], [note(1000, 1100)]))).toEqual(['+1020 opened nothing_received']);
  });

  test('is not ended by a position outside, or by simulated ones', () => {
    const evaluator = evaluatorOf(rule);
    evaluator.answer([seen(0, 500)], [note(-10, 0)]);
    evaluator.answer([seen(50, 1500), seen(60, 500, { simulated: true, ref: 'RX-D-0000000000000002' })], [note(0, 60)]);
    expect(words(evaluator.answer([], [note(60, 200)]))).toEqual(['+120 opened nothing_received']);
  });
});

describe('conditions', () => {
  test('leave out simulated and test broadcasts unless they are requested, and mark them then', () => {
    for (const [change, wanted] of [
      [{ simulated: true }, 'simulated'],
      [{ testBroadcast: true }, 'test'],
    ] as const) {
      expect(inside(evaluatorOf({ kind: 'entered' }), [change])).toEqual([]);
      const evaluator = evaluatorOf({ kind: 'entered', [wanted]: true });
      expect(inside(evaluator, [change])).toHaveLength(1);
      expect(evaluator.transitions[0]?.[wanted]).toBe(true);
    }
  });

  test('choose layers, confidence labels and receivers; a position that fails them ends nothing', () => {
    expect(inside(evaluatorOf({ kind: 'entered', layers: ['adsb'] }), [{}])).toEqual([]);
    const confident = { kind: 'entered', confidence: ['multi_station'], min_receivers: 2 } as const;
    const good = { confidence: 'multi_station', receiverCount: 3 };
    expect(
      inside(evaluatorOf(confident), [{ ...good, receiverCount: 1 }, { ...good, confidence: undefined }, {}]),
    ).toEqual([]);
    const evaluator = evaluatorOf(confident);
    evaluator.answer([seen(0, 500, good)]);
    expect(evaluator.answer([seen(5, 1500, { ...good, confidence: 'single' })])).toEqual([]);
    expect(words(evaluator.answer([seen(10, 1500, good)]))).toEqual(['+10 ended left']);
  });
});
