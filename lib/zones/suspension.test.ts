import { describe, expect, test } from 'vitest';
import { evaluateInSteps } from './evaluate.ts';
import { compileZones } from './evaluation/compile-zones.ts';
import { BOUNDS } from './evaluation/tally.ts';
import type { Observation, Transition, WatchedZone } from './evaluation/transition.ts';
import { Evaluator, note, notWatched, ruleOf, seen, zoneOf } from './evaluation/world.fixture.ts';
import { emptyZoneState } from './evaluation/zone-state.ts';

const BOUND = { rule: { open: 10, followed: 40 } };

/** Drones inside, 1 m apart. */
function drones(atS: number, count: number, northM = 0): Observation[] {
  return Array.from({ length: count }, (_, at) =>
    seen(atS, northM + at, { ref: `RX-D-${String(at).padStart(4, '0')}` }),
  );
}

function bounded(...zones: readonly WatchedZone[]): Evaluator {
  const evaluator = new Evaluator(...zones);
  evaluator.bound(BOUND);
  return evaluator;
}

/** Such as `+10 opened too_many 11`. */
function aboutRule(transitions: readonly Transition[]): string[] {
  return transitions
    .filter(({ kind }) => kind === 'too_many' || kind === 'rule_failed')
    .map(({ type, kind, count, end }) => [type, end ?? kind, count].join(' '));
}

function opened(transitions: readonly Transition[], kind = 'entered'): number {
  return transitions.filter((one) => one.type === 'opened' && one.kind.includes(kind)).length;
}

describe('a rule with too many alarms', () => {
  test('lists those up to its bound, and says once how many there would be', () => {
    const evaluator = bounded(zoneOf());
    for (let atS = 0; atS < 60; atS += 5) evaluator.answer(drones(atS, 25), [note(atS - 5, atS)]);
    expect(opened(evaluator.transitions, 'first_received_inside')).toBe(10);
    expect(aboutRule(evaluator.transitions)).toEqual(['opened too_many 11', 'counted too_many 25']);
  });

  test('resumes when few enough are inside, and then lists them', () => {
    const evaluator = bounded(zoneOf());
    evaluator.answer(drones(0, 25), [note(-5, 0)]);
    for (let atS = 5; atS < 200; atS += 5)
      evaluator.answer([...drones(atS, 7), ...drones(atS, 25, 5000).slice(7)], [note(atS - 5, atS)]);
    expect(aboutRule(evaluator.transitions).at(-1)).toBe('ended resumed 7');
    const inside = new Set(drones(0, 7).map(({ position }) => position.ref));
    const open = evaluator.transitions.filter(({ type, ref }) => type === 'opened' && inside.has(ref ?? ''));
    expect(open).toHaveLength(7);
  });

  test('does not resume while it is not watched: its alarm becomes unknown, and known again', () => {
    const evaluator = bounded(zoneOf());
    evaluator.answer(drones(0, 25), [note(-5, 0)]);
    evaluator.answer(drones(5, 25), [note(0, 20), notWatched(20, 300)]);
    expect(aboutRule(evaluator.transitions).at(-1)).toBe('unknown too_many 25');
    evaluator.answer(drones(301, 25), [note(300, 320)]);
    expect(aboutRule(evaluator.transitions).slice(-2)).toEqual(['unknown too_many 25', 'known too_many 25']);
  });

  test('ends its alarm when it is changed, and when its zone is removed', () => {
    const evaluator = bounded(zoneOf());
    evaluator.answer(drones(0, 25));
    evaluator.change(zoneOf({ revision: 2, rules: [ruleOf({ kind: 'entered', hold_s: 60 })] }));
    evaluator.answer([]);
    expect(aboutRule(evaluator.transitions).at(-1)).toBe('ended rule_changed 11');
    evaluator.change(zoneOf({ revision: 3 }));
    evaluator.answer(drones(5, 25));
    evaluator.change();
    evaluator.answer([]);
    expect(aboutRule(evaluator.transitions).at(-1)).toBe('ended zone_removed 11');
  });

  test('counts alarms again whose loss a late note undid', () => {
    const evaluator = bounded(zoneOf());
    evaluator.answer(drones(0, 10), [note(-5, 0)]);
    evaluator.answer([], [note(0, 400)]);
    evaluator.answer([], [notWatched(0, 390)]);
    expect(evaluator.transitions.filter(({ type }) => type === 'unknown')).toHaveLength(10);
    const others = drones(401, 20).slice(10);
    evaluator.answer(others, [note(400, 401)]);
    expect(opened(evaluator.transitions, 'first_received_inside')).toBe(10);
    expect(aboutRule(evaluator.transitions)).toEqual(['opened too_many 11']);
  });

  test('about simulated tracks alone is marked as simulated', () => {
    const evaluator = bounded(zoneOf({ rules: [ruleOf({ kind: 'entered', simulated: true })] }));
    evaluator.answer(drones(0, 25).map((one) => ({ ...one, position: { ...one.position, simulated: true } })));
    expect(evaluator.transitions.find(({ kind }) => kind === 'too_many')?.simulated).toBe(true);
  });

  test('about two tracks stops at what it follows, and lists no more than its bound', () => {
    const closer = ruleOf({ kind: 'closer', horizontal_m: 50_000, vertical_m: null, field: 'altitude_m' });
    const evaluator = bounded(zoneOf({ rules: [closer] }));
    for (let atS = 0; atS < 300; atS += 5) evaluator.answer(drones(atS, 40), [note(atS - 5, atS)]);
    expect(opened(evaluator.transitions, 'closer')).toBe(10);
    expect(evaluator.state.watches.get('zone|rid')?.progress.size).toBe(40);
    expect(aboutRule(evaluator.transitions)[0]).toBe('opened too_many 11');
    expect(aboutRule(evaluator.transitions).join()).not.toContain('ended');
  });

  test('compares a position with so many tracks near it at most', () => {
    const closer = ruleOf({ kind: 'closer', horizontal_m: 50_000, vertical_m: null, field: 'altitude_m' });
    const evaluator = new Evaluator(zoneOf({ rules: [closer] }));
    evaluator.bound({ neighbours: 20 });
    evaluator.answer(drones(0, 30));
    evaluator.answer(drones(5, 30));
    expect(aboutRule(evaluator.transitions)).toEqual(['opened too_many 21']);
  });
});

describe('the bound of all', () => {
  test('leaves another operator their alarms, and a rule of the same operator its part', () => {
    const zones = [
      zoneOf({ id: 'a', operator: 'a', rules: ['1', '2', '3'].map((id) => ({ ...ruleOf({ kind: 'entered' }), id })) }),
      zoneOf({ id: 'b', operator: 'b', rules: [{ ...ruleOf({ kind: 'entered' }), id: '4' }] }),
    ];
    const evaluator = new Evaluator(...zones);
    evaluator.bound({ rule: { open: 100, followed: 100 }, all: { open: 40, followed: 200 } });
    evaluator.answer(drones(0, 19));
    const of = (zone: string) =>
      opened(
        evaluator.transitions.filter((one) => one.zone === zone),
        'inside',
      );
    expect(of('b')).toBe(19);
    expect(of('a')).toBeLessThanOrEqual(20 + 3);
    const ofRule = (id: string) =>
      opened(
        evaluator.transitions.filter(({ rule }) => rule === id),
        'inside',
      );
    for (const id of ['1', '2', '3']) expect(ofRule(id)).toBeGreaterThanOrEqual(3);
  });

  test('bounds the decisions of one operator in an answer, not those of another', () => {
    const rules = (ids: readonly string[]) => ids.map((id) => ({ ...ruleOf({ kind: 'entered' }), id }));
    const evaluator = new Evaluator(
      zoneOf({ id: 'a', operator: 'a', rules: rules(['1', '2', '3', '4']) }),
      zoneOf({ id: 'b', operator: 'b', rules: rules(['5']) }),
    );
    evaluator.bound({ work: 20 });
    evaluator.answer(drones(0, 10));
    expect(
      opened(
        evaluator.transitions.filter(({ zone }) => zone === 'b'),
        'inside',
      ),
    ).toBe(10);
    expect(evaluator.transitions.filter(({ kind }) => kind === 'too_many').map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['1', '2', '3', '4']),
    );
  });
});

describe('a rule that throws', () => {
  const broken = () =>
    Object.defineProperty(ruleOf({ kind: 'entered' }), 'min_receivers', {
      get: () => {
        throw new Error('a defect');
      },
    });

  test('is set aside with one alarm, and is tried again with the next revision of its zone', () => {
    const evaluator = new Evaluator(zoneOf({ rules: [broken()] }));
    for (let atS = 0; atS < 100; atS += 5) evaluator.answer(drones(atS, 3), [note(atS - 5, atS)]);
    expect(aboutRule(evaluator.transitions)).toEqual(['opened rule_failed 1']);
    expect(evaluator.failures).toHaveLength(1);
    evaluator.change(zoneOf({ revision: 2 }));
    evaluator.answer(drones(101, 3));
    for (let atS = 105; atS < 200; atS += 5) evaluator.answer(drones(atS, 3), [note(atS - 5, atS)]);
    expect(aboutRule(evaluator.transitions)).toEqual(['opened rule_failed 1', 'ended rule_changed 1']);
    expect(opened(evaluator.transitions, 'inside')).toBe(3);
  });

  test('is tried again after a restart, without another alarm', () => {
    const evaluator = new Evaluator(zoneOf({ rules: [broken()] }));
    evaluator.answer(drones(0, 3));
    evaluator.restart();
    evaluator.answer(drones(5, 3));
    expect(evaluator.failures).toHaveLength(2);
    expect(aboutRule(evaluator.transitions)).toEqual(['opened rule_failed 1']);
  });
});

test('an evaluation offers a turn for each position near a zone, and for each zone that is swept', () => {
  const steps = evaluateInSteps(compileZones([zoneOf()], undefined, BOUNDS), emptyZoneState(), drones(0, 25), [
    note(-30, 10),
  ]);
  let turns = 0;
  while (!steps.next().done) turns++;
  expect(turns).toBe(25 + 4);
});

test('compiling again keeps zones that did not change, and decides as compiling all', () => {
  const [one, two, moved] = [
    zoneOf({ id: 'one' }),
    zoneOf({ id: 'two', rules: [{ ...ruleOf({ kind: 'entered' }), id: 'second' }] }),
    zoneOf({
      id: 'two',
      revision: 2,
      rules: [{ ...ruleOf({ kind: 'speed', beyond: 'above', speed_mps: 1 }), id: 'third' }],
    }),
  ];
  const first = compileZones([one]);
  const added = compileZones([one, two], first);
  expect(added.zones.get('one')).toBe(first.zones.get('one'));
  expect(added.cells).toBe(first.cells);
  const changed = compileZones([one, moved], added);
  expect(changed.zones.get('one')).toBe(first.zones.get('one'));
  expect([...changed.rules.keys()]).toEqual([...compileZones([one, moved]).rules.keys()]);
  expect(changed.near(8, 47, 9, 48)).toEqual(expect.arrayContaining([...changed.zones.values()]));
});
