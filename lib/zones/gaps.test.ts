import { describe, expect, test } from 'vitest';
import { epochMs } from '#lib/time/instant.ts';
import { evaluateGap, gapWindow, type KnownAlarm } from './evaluate-gap.ts';
import { compileZones } from './evaluation/compile-zones.ts';
import { loadZoneState } from './evaluation/state-rows.ts';
import type { Observation } from './evaluation/transition.ts';
import {
  Evaluator,
  instant,
  note,
  notWatched,
  ruleOf,
  START_MS,
  seen,
  words,
  zoneOf,
} from './evaluation/world.fixture.ts';

/** Entered at 5 s, watched until then. */
function withOpenAlarm(zone = zoneOf()): Evaluator {
  const evaluator = new Evaluator(zone);
  evaluator.answer([seen(0, 1100)], [note(-10, 0)]);
  evaluator.answer([seen(5, 900)], [note(0, 5)]);
  return evaluator;
}

describe('silence', () => {
  test('of a watched track is "lost" after 180 s, never "left"', () => {
    const evaluator = withOpenAlarm();
    expect(evaluator.answer([], [note(5, 184)])).toEqual([]);
    expect(words(evaluator.answer([], [note(184, 200)]))).toEqual(['+5 ended lost']);
  });

  test('of a lost track that is received inside again reopens its alarm', () => {
    const evaluator = withOpenAlarm();
    evaluator.answer([], [note(5, 300)]);
    expect(words(evaluator.answer([seen(320, 800)]))).toEqual(['+320 reopened entered']);
  });

  test('of a lost track that is received outside is a new alarm when it comes in again', () => {
    const evaluator = withOpenAlarm();
    evaluator.answer([], [note(5, 300)]);
    evaluator.answer([seen(320, 1500), seen(360, 1500)]);
    expect(words(evaluator.answer([seen(390, 800)]))).toEqual(['+390 opened entered']);
  });
});

describe('a gap', () => {
  test('ends nothing: the alarm is unknown since the zone is not watched, then known again', () => {
    const evaluator = withOpenAlarm();
    const [unknown] = evaluator.answer([], [note(5, 10), notWatched(10, 700)]);
    expect(words(unknown ? [unknown] : [])).toEqual(['+10 unknown entered']);
    expect(unknown?.reason).toBe('upstream');
    expect(words(evaluator.answer([seen(705, 700)], [note(700, 706)]))).toEqual(['+705 known entered']);
    expect(evaluator.transitions.map(({ count }) => count)).toEqual([1, 1, 1]);
  });

  test.each([
    ['first', [notWatched(5, 100), note(5, 50)]],
    ['last', [note(5, 50), notWatched(5, 100)]],
  ])('has its reason where a watched note begins with it, and is %s', (_, notes) => {
    const [unknown] = withOpenAlarm().answer([], notes);
    expect([unknown?.type, unknown?.reason]).toEqual(['unknown', 'upstream']);
  });

  test('is the same in one note and in many', () => {
    const [one, many] = [withOpenAlarm(), withOpenAlarm()];
    one.answer([], [notWatched(5, 300), note(300, 600)]);
    for (let fromS = 5; fromS < 600; fromS += 5)
      many.answer([], [fromS < 300 ? notWatched(fromS, fromS + 5) : note(fromS, fromS + 5)]);
    expect(many.transitions).toEqual(one.transitions);
    expect(words(one.transitions)).toEqual(['+5 opened entered', '+5 unknown entered', '+5 ended lost']);
  });

  test('of one failed read changes no alarm', () => {
    const evaluator = withOpenAlarm();
    expect(evaluator.answer([], [notWatched(5, 15), note(15, 16)])).toEqual([]);
    expect(evaluator.answer([seen(17, 900)], [note(16, 17)])).toEqual([]);
  });

  test('does not count as silence: a track is lost after watched time alone', () => {
    const evaluator = withOpenAlarm();
    evaluator.answer([], [note(5, 100), notWatched(100, 4000), note(4000, 4080)]);
    expect(words(evaluator.transitions)).toEqual(['+5 opened entered', '+100 unknown entered']);
    expect(words(evaluator.answer([], [note(4080, 4100)]))).toEqual(['+5 ended lost']);
  });

  test('that is known later makes an alarm unknown that ended by a silence in it', () => {
    const evaluator = withOpenAlarm();
    expect(words(evaluator.answer([], [note(5, 200)]))).toEqual(['+5 ended lost']);
    const lost = { state: 'not_watched', reason: 'receivers_lost' } as const;
    const [unknown, ...others] = evaluator.answer([], [note(120, 200, lost), note(200, 400, lost)]);
    expect(words([unknown!])).toEqual(['+120 unknown entered']);
    expect([unknown?.reason, others]).toEqual(['receivers_lost', []]);
    evaluator.restart();
    expect(words(evaluator.answer([seen(405, 700)], [note(400, 406)]))).toEqual(['+405 known entered']);
  });

  test('that is known later undoes no end whose silence was watched before it, and none with a later position', () => {
    const lost = { state: 'not_watched', reason: 'receivers_lost' } as const;
    const watched = withOpenAlarm();
    watched.answer([], [note(5, 300)]);
    expect(watched.answer([], [note(195, 300, lost), note(300, 400, lost)])).toEqual([]);
    const received = withOpenAlarm();
    received.answer([], [note(5, 200)]);
    received.answer([seen(200, 1500)], [note(200, 201)]);
    expect(received.answer([], [note(120, 201, lost), note(201, 400, lost)])).toEqual([]);
    const left = withOpenAlarm();
    left.answer([seen(10, 1500)], [note(5, 200)]);
    expect(words(left.transitions)).toEqual(['+5 opened entered', '+10 ended left']);
    expect(left.answer([], [note(7, 200, lost), note(200, 400, lost)])).toEqual([]);
  });

  test('that the track left in ends the alarm at the first position received outside', () => {
    const evaluator = withOpenAlarm();
    evaluator.answer([], [notWatched(5, 700)]);
    expect(words(evaluator.answer([seen(705, 1500)], [note(700, 706)]))).toEqual(['+705 ended left']);
  });

  test('starts nothing: a hold begins again after positions that are far apart', () => {
    const evaluator = new Evaluator(zoneOf({ rules: [ruleOf({ kind: 'inside_longer', longer_s: 300 })] }));
    evaluator.answer([seen(0, 900)], [note(-10, 0)]);
    expect(evaluator.answer([seen(600, 900)], [notWatched(0, 595), note(595, 601)])).toEqual([]);
    for (let atS = 650; atS < 900; atS += 50) expect(evaluator.answer([seen(atS, 900)])).toEqual([]);
    expect(words(evaluator.answer([seen(900, 900)]))).toEqual(['+900 opened inside_longer']);
  });

  test('of a whole day ends the alarm as "reference gone": references rotate', () => {
    const evaluator = withOpenAlarm();
    expect(words(evaluator.answer([], [notWatched(5, 90_000)]))).toEqual([
      '+5 unknown entered',
      '+5 ended reference_gone',
    ]);
  });

  test('without a note is one that was not watched', () => {
    const evaluator = withOpenAlarm();
    expect(words(evaluator.answer([], [note(1000, 1001)]))).toEqual(['+5 unknown entered']);
  });
});

describe('a changed rule', () => {
  test('ends its open alarm, and decides again', () => {
    const evaluator = withOpenAlarm();
    evaluator.change(zoneOf({ revision: 2, rules: [ruleOf({ kind: 'entered', hold_s: 5 })] }));
    expect(words(evaluator.answer([], [note(5, 6)]))).toEqual(['+5 ended rule_changed']);
  });

  test('is not one of a zone whose name, permits or other rules change, nor one with other destinations', () => {
    const evaluator = withOpenAlarm();
    const destination = '0b9a0b6c-2b1f-4a53-9d0f-2b1a4c7d9e10';
    const notifying = ruleOf({ kind: 'entered', notify: [destination], escalate: { destination, after_s: 60 } });
    evaluator.change(zoneOf({ revision: 2, rules: [notifying, ruleOf({ kind: 'left' })] }));
    expect(evaluator.answer([], [note(5, 6)])).toEqual([]);
  });

  test('of a deleted zone ends its alarm and leaves no row', () => {
    const evaluator = withOpenAlarm();
    evaluator.change();
    expect(words(evaluator.answer([], []))).toEqual(['+5 ended zone_removed']);
    expect([...evaluator.rows.keys()].filter((key) => !key.startsWith('track'))).toEqual([]);
  });
});

describe('a gap that history is read of', () => {
  const gap = { zoneId: 'zone', layer: 'rid', from: instant(100), to: instant(400) } as const;
  const found = (evaluator: Evaluator, observations: readonly Observation[], known: readonly KnownAlarm[] = []) =>
    evaluateGap(compileZones([zoneOf()]), evaluator.state, gap, observations, known);

  test('holds the alarms that began and ended in it', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([], [note(0, 100), notWatched(100, 400), note(400, 401)]);
    const { transitions } = found(evaluator, [seen(150, 1200), seen(155, 900), seen(160, 1200)]);
    expect(words(transitions)).toEqual(['+155 opened entered', '+160 ended left']);
    expect(transitions.every((transition) => transition.found === 'history')).toBe(true);
  });

  test('gives the keys that live would have given', () => {
    const [live, evaluator] = [new Evaluator(zoneOf()), new Evaluator(zoneOf())];
    const flight = [seen(150, 1200), seen(155, 900), seen(160, 1200)];
    expect(found(evaluator, flight).transitions.map(({ key }) => key)).toEqual(
      live.answer(flight).map(({ key }) => key),
    );
  });

  test('opens no second alarm for a track whose alarm live opened afterwards', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([], [note(0, 100), notWatched(100, 400)]);
    const [opened] = evaluator.answer([seen(401, 800)], [note(400, 402)]);
    const known = opened ? [{ ...opened, endedAt: undefined }] : [];
    const flight = [
      seen(150, 1200),
      ...Array.from({ length: 50 }, (_, index) => seen(155 + index * 5, 900)),
      seen(401, 800),
    ];
    expect(found(evaluator, flight, known).transitions).toEqual([]);
    expect(known).toHaveLength(1);
  });

  test('ends an alarm that is unknown since when history shows its track outside', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(90, 1100), seen(95, 900)], [note(0, 100)]);
    const [opened] = evaluator.transitions;
    evaluator.answer([], [notWatched(100, 400), note(400, 401)]);
    const { transitions, rows } = found(
      evaluator,
      [seen(90, 1100), seen(95, 900), seen(150, 900), seen(200, 1200)],
      opened ? [{ ...opened, endedAt: undefined }] : [],
    );
    expect(words(transitions)).toEqual(['+200 ended left']);
    expect(transitions[0]?.key).toBe(opened?.key);
    expect(rows().some(({ key, value }) => key.startsWith('rule') && value === undefined)).toBe(true);
  });

  test('holds a second visit after it has ended an alarm that is unknown since', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(90, 1100), seen(95, 900)], [note(0, 100)]);
    const [opened] = evaluator.transitions;
    evaluator.answer([], [notWatched(100, 400), note(400, 401)]);
    const flight = [seen(90, 1100), seen(95, 900), seen(110, 1200), seen(360, 1200), seen(365, 900), seen(370, 1200)];
    const { transitions } = found(evaluator, flight, opened ? [{ ...opened, endedAt: undefined }] : []);
    expect(words(transitions)).toEqual(['+110 ended left', '+365 opened entered', '+370 ended left']);
    expect(new Set(transitions.map(({ key }) => key)).size).toBe(2);
  });

  test('goes on live with an alarm that is open at its end', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([], [note(0, 100), notWatched(100, 400), note(400, 401)]);
    const { transitions, rows } = found(evaluator, [seen(390, 1200), seen(395, 900)]);
    expect(words(transitions)).toEqual(['+395 opened entered']);
    for (const { key, value } of rows()) if (value !== undefined) evaluator.rows.set(key, value);
    evaluator.restart();
    expect(words(evaluator.answer([seen(405, 1200)]))).toEqual(['+405 ended left']);
  });

  test('holds an alarm of its own where a track came back to one that had ended', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(80, 1200), seen(85, 900), seen(95, 1200)], [note(0, 100)]);
    const known = [{ ...evaluator.transitions[0]!, endedAt: instant(95) }];
    evaluator.answer([], [notWatched(100, 400), note(400, 401)]);
    const flight = [seen(80, 1200), seen(85, 900), seen(95, 1200), seen(120, 900), seen(130, 1200)];
    const { transitions } = found(evaluator, flight, known);
    expect(words(transitions)).toEqual(['+120 opened entered', '+130 ended left']);
    expect(new Set(transitions.map(({ key, count }) => `${key} ${count}`)).size).toBe(1);
    expect(transitions[0]?.key).not.toBe(known[0]?.key);
  });

  test.each([
    ['is still there', []],
    ['has left again', [seen(118, 1200)]],
  ])('keeps one alarm open for a track that left just before, came back in it and %s', (_what, more) => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(60, 1200), seen(65, 900), seen(98, 1200)], [note(0, 100)]);
    const known = [{ ...evaluator.transitions[0]!, endedAt: instant(98) }];
    evaluator.answer([], [notWatched(100, 120), note(120, 121)]);
    const flight = [seen(99, 1200), seen(110, 900), seen(115, 900), ...more];
    const short = { ...gap, to: instant(120) };
    const made = evaluateGap(compileZones([zoneOf()]), evaluator.state, short, flight, known).transitions;
    expect(words(made)[0]).toBe('+110 opened entered');
    const all = [...made, ...evaluator.answer([seen(122, 900)]), ...evaluator.answer([seen(125, 1200)])];
    expect(words(all).at(-1)).toBe('+125 ended left');
    expect(new Set(all.map(({ key }) => key)).size).toBe(1);
  });

  test('is read from before the longest hold of the zone', () => {
    const zone = zoneOf({ rules: [ruleOf({ kind: 'inside_longer', longer_s: 600 })] });
    const { start, end } = gapWindow(zone, gap);
    expect([epochMs(start), epochMs(end)]).toEqual([START_MS - 560_000, START_MS + 460_000]);
    expect(loadZoneState([]).tracks.rid.size).toBe(0);
  });
});
