import { describe, expect, test } from 'vitest';
import { Evaluator, note, notWatched, ruleOf, seen, words, zoneOf } from './evaluation/world.fixture.ts';

describe('a track that does not move', () => {
  test('at the edge opens one alarm, as metres and seconds hold its end', () => {
    const rule = ruleOf({ kind: 'entered', hold_m: 20, hold_s: 5, hold_out_m: 20, hold_out_s: 30 });
    const evaluator = new Evaluator(zoneOf({ rules: [rule] }));
    // Enters, then sways 15 m around the edge, as GNSS does.
    const flight = [1100, 990, 960, 950, 950, ...Array.from({ length: 200 }, (_, index) => 1000 + 15 * (-1) ** index)];
    for (const [atS, northM] of flight.entries())
      evaluator.answer([seen(atS * 2, northM)], [note(atS * 2 - 2, atS * 2)]);
    expect(words(evaluator.transitions)).toEqual(['+4 opened entered']);
  });

  test('that sways out of the metres is one alarm with a count while seconds hold it', () => {
    const evaluator = new Evaluator(zoneOf({ rules: [ruleOf({ kind: 'entered', hold_out_s: 20 })] }));
    for (const [index, northM] of [1100, 900, 1050, 900, 1050, 900].entries())
      evaluator.answer([seen(index * 5, northM)]);
    expect(words(evaluator.transitions)).toEqual(['+5 opened entered', '+15 returned entered', '+25 returned entered']);
    expect(new Set(evaluator.transitions.map(({ key }) => key)).size).toBe(1);
    expect(evaluator.transitions.at(-1)?.count).toBe(3);
  });
});

describe('a rule without any hold', () => {
  test('is the same alarm for a track back within a minute', () => {
    const evaluator = new Evaluator(zoneOf());
    for (const [index, northM] of [1100, 900, 1050, 900, 1050].entries()) evaluator.answer([seen(index * 5, northM)]);
    expect(words(evaluator.transitions)).toEqual([
      '+5 opened entered',
      '+10 ended left',
      '+15 returned entered',
      '+20 ended left',
    ]);
    expect(new Set(evaluator.transitions.map(({ key }) => key)).size).toBe(1);
  });

  test('opens a second alarm for a track back later: no cooldown swallows it', () => {
    const evaluator = new Evaluator(zoneOf());
    for (const [atS, northM] of [
      [0, 1100],
      [5, 900],
      [10, 1050],
      [50, 1050],
      [75, 900],
    ] as const) {
      evaluator.answer([seen(atS, northM)]);
    }
    expect(words(evaluator.transitions)).toEqual(['+5 opened entered', '+10 ended left', '+75 opened entered']);
    expect(evaluator.transitions[0]?.key).not.toBe(evaluator.transitions[2]?.key);
  });
});

describe('an entry', () => {
  test('names the positions outside and inside that decided it', () => {
    const evaluator = new Evaluator(zoneOf());
    const [outside, inside] = [seen(0, 1100), seen(5, 900)];
    evaluator.answer([outside]);
    expect(evaluator.answer([inside])[0]?.evidence).toEqual([outside.position, inside.position]);
  });

  test('is "first received inside" without a position outside before', () => {
    expect(words(new Evaluator(zoneOf()).answer([seen(0, 900)]))).toEqual(['+0 opened first_received_inside']);
  });

  test('is "first received inside" if the position outside is far back in time', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(0, 1100)]);
    expect(words(evaluator.answer([seen(90, 900)]))).toEqual(['+90 opened first_received_inside']);
  });

  test('is "crossed between" for each of five passes whose steps are longer than the zone', () => {
    const evaluator = new Evaluator(zoneOf());
    for (let pass = 0; pass < 5; pass++) {
      const side = pass % 2 === 0 ? 1 : -1;
      evaluator.answer([seen(pass * 120, side * 1500)]);
      evaluator.answer([seen(pass * 120 + 10, -side * 1500)]);
    }
    const passes = Array.from({ length: 5 }, (_, pass) => pass * 120 + 10);
    expect(words(evaluator.transitions)).toEqual(
      passes.flatMap((atS) => [`+${atS} opened crossed_between`, `+${atS} ended left`]),
    );
  });

  test('is not guessed between positions that are far apart in time', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(0, 1500)]);
    expect(evaluator.answer([seen(20, -1500)])).toEqual([]);
  });

  test('opens once, however often the track is received inside, and is never left without it', () => {
    const evaluator = new Evaluator(zoneOf({ rules: [ruleOf({ kind: 'entered' }), ruleOf({ kind: 'left' })] }));
    for (let atS = 0; atS < 60; atS += 2) evaluator.answer([seen(atS, 1200)]);
    expect(evaluator.transitions).toEqual([]);
    for (let atS = 60; atS < 120; atS += 2) evaluator.answer([seen(atS, 500)]);
    expect(words(evaluator.transitions)).toEqual(['+60 opened entered']);
    evaluator.answer([seen(120, 1200)]);
    expect(words(evaluator.transitions).slice(1).toSorted()).toEqual([
      '+120 ended left',
      '+120 ended left',
      '+120 opened left',
    ]);
  });
});

describe('late and repeated positions', () => {
  test('decide nothing: buffered old positions cause no storm', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(0, 1100), seen(100, 1200)]);
    for (let atS = 1; atS < 100; atS++) evaluator.answer([seen(atS, atS % 2 === 0 ? 900 : 1100)]);
    expect(evaluator.transitions).toEqual([]);
    expect(evaluator.late).toBe(99);
  });

  test('an answer that is read again changes nothing', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(0, 1100)], [note(0, 1)]);
    evaluator.answer([seen(5, 900)], [note(1, 6)]);
    expect(evaluator.answer([seen(5, 900)], [note(1, 6)])).toEqual([]);
  });
});

describe('a restart', () => {
  test('announces nothing again, and goes on with what was open', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(0, 1100)], [note(0, 1)]);
    evaluator.answer([seen(5, 900)], [note(1, 6)]);
    evaluator.restart();
    expect(evaluator.answer([seen(5, 900)], [note(6, 8)])).toEqual([]);
    expect(words(evaluator.answer([seen(10, 1100)]))).toEqual(['+10 ended left']);
  });

  test('finds an entry that happened during the downtime', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(0, 1100)], [note(0, 1)]);
    evaluator.restart();
    expect(words(evaluator.answer([seen(50, 900)], [notWatched(1, 45), note(45, 51)]))).toEqual(['+50 opened entered']);
  });
});

describe('a zone across 180°', () => {
  test('opens an alarm for a position on its eastern edge that rounding puts out of its box', () => {
    const centre: [number, number] = [179.968, 0];
    const evaluator = new Evaluator(zoneOf({ shape: { type: 'Circle', centre, radius_m: 426_554 } }));
    const edge = seen(5, 0, { lon: -176.195_913_015_718_45, lat: 0 });
    expect(words(evaluator.answer([edge]))).toEqual(['+5 opened first_received_inside']);
  });
});
