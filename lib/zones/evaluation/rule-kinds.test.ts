import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import type { WatchedRule } from './transition.ts';
import { Evaluator, note, RADIUS_M, ruleOf, seen, words, zoneOf } from './world.fixture.ts';

function evaluatorOf(rule: { kind: WatchedRule['kind'] } & Record<string, unknown>) {
  return new Evaluator(zoneOf({ rules: [ruleOf(rule)] }));
}

function inside(evaluator: Evaluator, changes: readonly Partial<Position>[]): string[] {
  for (const [index, change] of changes.entries()) evaluator.answer([seen(index * 5, 500, change)]);
  return words(evaluator.transitions);
}

describe('speed and height beyond a limit', () => {
  test('open an alarm while it is beyond, and none at the limit', () => {
    const speeds = [10, 20, 20.1, 25, 12].map((speedMps) => ({ speedMps }));
    expect(inside(evaluatorOf({ kind: 'speed', beyond: 'above', speed_mps: 20 }), speeds)).toEqual([
      '+10 opened speed',
      '+20 ended left',
    ]);
  });

  test('an unknown value opens nothing and ends nothing', () => {
    const heights = [undefined, 130, undefined, 130, 110].map((heightAglM) => ({ heightAglM }));
    const rule = { kind: 'height', beyond: 'above', field: 'height_agl_m', height_m: 120 } as const;
    expect(inside(evaluatorOf(rule), heights)).toEqual(['+5 opened height', '+20 ended left']);
  });

  test('the height above ground is never compared with the altitude', () => {
    const rule = { kind: 'height', beyond: 'above', field: 'height_agl_m', height_m: 120 } as const;
    expect(inside(evaluatorOf(rule), [{ altitudeM: 900 }, { altitudeM: 900, heightAglM: 60 }])).toEqual([]);
  });

  test('above and below are mirrored', () => {
    const values = [100, 130, 125, 90, 140];
    const above = { kind: 'height', beyond: 'above', field: 'altitude_m', height_m: 120 } as const;
    const below = { kind: 'height', beyond: 'below', field: 'altitude_m', height_m: -120 } as const;
    const one = inside(
      evaluatorOf(above),
      values.map((altitudeM) => ({ altitudeM })),
    );
    expect(
      inside(
        evaluatorOf(below),
        values.map((altitudeM) => ({ altitudeM: -altitudeM })),
      ),
    ).toEqual(one);
    expect(one).toHaveLength(3);
  });
});

describe('an emergency', () => {
  const states = (...values: readonly (string | undefined)[]) => values.map((emergencyState) => ({ emergencyState }));

  test('needs two positions: a garbled one raises no alarm', () => {
    expect(inside(evaluatorOf({ kind: 'emergency' }), states('none', 'general', 'none', 'general', 'general'))).toEqual(
      ['+20 opened emergency'],
    );
  });

  test('is not an unknown value', () => {
    expect(inside(evaluatorOf({ kind: 'emergency' }), states('7601', '7601', 'unknown', undefined))).toEqual([]);
  });

  test('ends only with "none"', () => {
    const all = states('downed', 'downed', 'unknown', undefined, 'none');
    expect(inside(evaluatorOf({ kind: 'emergency' }), all)).toEqual(['+5 opened emergency', '+20 ended left']);
  });
});

describe('inside longer', () => {
  test('opens at the first position after the time', () => {
    const evaluator = evaluatorOf({ kind: 'inside_longer', longer_s: 12 });
    expect(inside(evaluator, [{}, {}, {}, {}])).toEqual(['+15 opened inside_longer']);
  });
});

describe('left', () => {
  test('opens and ends at the position that decides it, and counts the same track leaving again', () => {
    const evaluator = evaluatorOf({ kind: 'left' });
    for (const [index, northM] of [900, 1100, 900, 1100].entries()) evaluator.answer([seen(index * 5, northM)]);
    expect(words(evaluator.transitions)).toEqual([
      '+5 opened left',
      '+5 ended left',
      '+15 returned left',
      '+15 ended left',
    ]);
  });

  test('is not raised by silence', () => {
    const evaluator = evaluatorOf({ kind: 'left' });
    evaluator.answer([seen(0, 900)], [note(-5, 0)]);
    expect(evaluator.answer([], [note(0, 1000)])).toEqual([]);
  });
});

describe('two tracks closer than', () => {
  const rule = { kind: 'closer', horizontal_m: 300, vertical_m: 50, field: 'altitude_m' } as const;
  const other: Partial<Position> = { kind: 'aircraft', altitudeM: 400 };

  function pass(evaluator: Evaluator, drone: Partial<Position>, aircraftNorthM: (atS: number) => number): string[] {
    for (let atS = 0; atS < 40; atS += 2) {
      evaluator.answer([seen(atS, 500, drone)]);
      evaluator.answer([seen(atS + 1, aircraftNorthM(atS + 1), other)]);
    }
    return words(evaluator.transitions);
  }

  test('opens one alarm for the pair, and ends it as they part', () => {
    const evaluator = evaluatorOf(rule);
    expect(pass(evaluator, { altitudeM: 380 }, (atS) => -500 + atS * 60)).toEqual([
      '+13 opened closer',
      '+23 ended left',
    ]);
    const [opened] = evaluator.transitions;
    expect(opened?.other).toEqual({ layer: 'rid', ref: 'RX-D-0000000000000001' });
    expect(opened?.evidence.map(({ ref }) => ref)).toContain('RX-A-0000000000000001');
  });

  test('is not told without both heights, or beyond the vertical distance', () => {
    expect(pass(evaluatorOf(rule), {}, (atS) => -500 + atS * 60)).toEqual([]);
    expect(pass(evaluatorOf(rule), { altitudeM: 200 }, (atS) => -500 + atS * 60)).toEqual([]);
  });

  test('needs positions near in time', () => {
    const evaluator = evaluatorOf({ ...rule, vertical_m: null });
    for (let atS = 0; atS < 200; atS += 40) {
      evaluator.answer([seen(atS, 500, other)]);
      evaluator.answer([seen(atS + 20, 500)]);
    }
    expect(evaluator.transitions).toEqual([]);
  });
});

describe('about to enter', () => {
  const approach = (atS: number, change: Partial<Position> = {}) =>
    seen(atS, RADIUS_M + 990 - atS * 20, { speedMps: 20, headingDeg: 180, ...change });

  test('is projected from speed and heading, and ends where the track is inside', () => {
    const evaluator = evaluatorOf({ kind: 'about_to_enter', within_s: 30 });
    for (let atS = 0; atS <= 60; atS += 5) evaluator.answer([approach(atS)]);
    expect(words(evaluator.transitions)).toEqual(['+20 opened about_to_enter', '+50 ended left']);
  });

  test('is not projected without speed or heading', () => {
    const evaluator = evaluatorOf({ kind: 'about_to_enter', within_s: 30 });
    for (let atS = 0; atS <= 45; atS += 5) evaluator.answer([approach(atS, { speedMps: undefined })]);
    for (let atS = 46; atS <= 48; atS += 1) evaluator.answer([approach(atS, { headingDeg: undefined })]);
    expect(evaluator.transitions).toEqual([]);
  });

  test('has another key than an entry: acknowledging one does not cover the other', () => {
    const rules = [ruleOf({ kind: 'about_to_enter', within_s: 30 }), ruleOf({ kind: 'entered' })];
    const evaluator = new Evaluator(zoneOf({ rules }));
    for (let atS = 0; atS <= 60; atS += 5) evaluator.answer([approach(atS)]);
    const opened = evaluator.transitions.filter(({ type }) => type === 'opened');
    expect(opened.map(({ kind }) => kind)).toEqual(['about_to_enter', 'entered']);
    expect(new Set(opened.map(({ key }) => key)).size).toBe(2);
  });
});
