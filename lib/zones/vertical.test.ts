import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { Evaluator, note, ruleOf, seen, words, zoneOf } from './evaluation/world.fixture.ts';
import { type Vertical, verticalSchema } from './zone.ts';

const limits = { field: 'height_agl_m', floor_m: null, ceiling_m: null, unknown: 'excluded' } as const;

function flown(vertical: Vertical, changes: readonly Partial<Position>[]): string[] {
  const evaluator = new Evaluator(zoneOf({ vertical }));
  for (const [index, change] of changes.entries()) evaluator.answer([seen(index * 5, 500, change)]);
  return words(evaluator.transitions);
}

describe('limits', () => {
  test('are those of the field that the zone names: the other one never counts', () => {
    const vertical = { ...limits, ceiling_m: 120 };
    expect(flown(vertical, [{ heightAglM: 100, altitudeM: 2000 }])).toHaveLength(1);
    expect(flown(vertical, [{ altitudeM: 100 }])).toEqual([]);
    expect(flown({ ...vertical, field: 'altitude_m' }, [{ heightAglM: 100 }])).toEqual([]);
  });

  test('belong to the zone, and a floor of 0 is one', () => {
    const vertical = { ...limits, floor_m: 0, ceiling_m: 120 };
    expect([-1, 0, 120, 121].map((heightAglM) => flown(vertical, [{ heightAglM }]).length)).toEqual([0, 1, 1, 0]);
    expect(verticalSchema.parse(vertical)).toEqual(vertical);
  });

  test('that are not stated let every height in, known or not', () => {
    for (const heightAglM of [-500, 0, 50_000, undefined]) expect(flown(limits, [{ heightAglM }])).toHaveLength(1);
  });

  test('work above as below: a mirrored flight gives the same alarms', () => {
    const heights = fc.array(fc.integer({ min: -200, max: 200 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        heights,
        fc.integer({ min: -100, max: 0 }),
        fc.integer({ min: 0, max: 100 }),
        (flight, floor_m, ceiling_m) => {
          const zone = { ...limits, field: 'altitude_m', floor_m, ceiling_m } as const;
          const mirrored = { ...zone, floor_m: 0 - ceiling_m, ceiling_m: 0 - floor_m };
          expect(
            flown(
              mirrored,
              flight.map((altitudeM) => ({ altitudeM: -altitudeM })),
            ),
          ).toEqual(
            flown(
              zone,
              flight.map((altitudeM) => ({ altitudeM })),
            ),
          );
        },
      ),
    );
  });
});

describe('an unknown height', () => {
  const unknown = [{ heightAglM: undefined }];

  test('counts, does not count, or counts as "height unknown", as the zone chooses', () => {
    expect(flown({ ...limits, ceiling_m: 120, unknown: 'excluded' }, unknown)).toEqual([]);
    expect(flown({ ...limits, ceiling_m: 120, unknown: 'counts' }, unknown)).toHaveLength(1);
    for (const [choice, isMarked] of [
      ['counts', false],
      ['flagged', true],
    ] as const) {
      const evaluator = new Evaluator(zoneOf({ vertical: { ...limits, ceiling_m: 120, unknown: choice } }));
      expect(evaluator.answer([seen(0, 500)])[0]?.heightUnknown).toBe(isMarked);
    }
  });

  test('that does not count ends nothing', () => {
    const heights = [60, undefined, undefined, 60, 200].map((heightAglM) => ({ heightAglM }));
    expect(flown({ ...limits, ceiling_m: 120 }, heights)).toEqual([
      '+0 opened first_received_inside',
      '+20 ended left',
    ]);
  });
});

describe('a crossing between two positions', () => {
  const crossed = (vertical: Vertical, from: number | undefined, to: number | undefined) => {
    const evaluator = new Evaluator(zoneOf({ vertical }));
    evaluator.answer([seen(0, 1500, { heightAglM: from })]);
    return words(evaluator.answer([seen(10, -1500, { heightAglM: to })])).length > 0;
  };

  test('is one only where its height is between the limits', () => {
    const vertical = { ...limits, floor_m: 50, ceiling_m: 120 };
    expect(crossed(vertical, 80, 80)).toBe(true);
    expect(crossed(vertical, 200, 200)).toBe(false);
    expect(crossed(vertical, 0, 160)).toBe(true);
    // Down to 120 m only after the zone.
    expect(crossed(vertical, 900, 110)).toBe(false);
    expect(crossed(vertical, undefined, 80)).toBe(false);
    expect(crossed({ ...vertical, unknown: 'counts' }, undefined, 80)).toBe(true);
  });
});

describe('permits', () => {
  const permit = {
    id: 'b3b5f5c0-0000-4000-8000-000000000000',
    track: null,
    until: '2026-11-21T12:01:00Z',
    up_to_m: 100,
    note: '',
  };
  const permitted = (change: Partial<typeof permit> | { track: { layer: 'rid'; ref: string } }) =>
    new Evaluator(zoneOf({ permits: [{ ...permit, ...change }] }));

  test('mark what they cover as expected: until a time, up to a height, one reference or all', () => {
    const isExpected = (evaluator: Evaluator, atS: number, heightAglM: number | undefined) =>
      evaluator.answer([seen(atS, 500, { heightAglM })])[0]?.expected;
    expect(isExpected(permitted({}), 0, 80)).toBe(true);
    expect(isExpected(permitted({}), 0, 120)).toBe(false);
    expect(isExpected(permitted({}), 0, undefined)).toBe(false);
    expect(isExpected(permitted({}), 60, 80)).toBe(false);
    expect(isExpected(permitted({ track: { layer: 'rid', ref: 'RX-D-0000000000000001' } }), 0, 80)).toBe(true);
    expect(isExpected(permitted({ track: { layer: 'rid', ref: 'RX-D-0000000000000002' } }), 0, 80)).toBe(false);
  });

  test('cover no longer what goes beyond them: the alarm is announced', () => {
    const evaluator = permitted({});
    for (const [atS, heightAglM] of [
      [0, 80],
      [5, 90],
      [10, 130],
      [15, 140],
    ] as const) {
      evaluator.answer([seen(atS, 500, { heightAglM })]);
    }
    expect(evaluator.transitions.map(({ type, expected }) => [type, expected])).toEqual([
      ['opened', true],
      ['reopened', false],
    ]);
  });
});

describe('hours of a zone', () => {
  const hours = { time_zone: 'UTC', weekly: [{ days: ['sat' as const], from: '12:00', to: '12:01' }] };

  test('end its alarms when they are over', () => {
    const evaluator = new Evaluator(zoneOf({ hours }));
    evaluator.answer([seen(50, 1200), seen(55, 500)], [note(0, 55)]);
    expect(words(evaluator.answer([seen(65, 500)], [note(55, 66)]))).toEqual(['+60 ended hours_over']);
    expect(words(evaluator.transitions)[0]).toBe('+55 opened entered');
  });

  test('end them without a position too, and open none outside', () => {
    const evaluator = new Evaluator(
      zoneOf({ hours, rules: [ruleOf({ kind: 'entered' }), ruleOf({ kind: 'speed', beyond: 'above', speed_mps: 5 })] }),
    );
    evaluator.answer([seen(50, 1200), seen(55, 500)], [note(0, 55)]);
    expect(words(evaluator.answer([], [note(55, 80)]))).toEqual(['+60 ended hours_over']);
    expect(evaluator.answer([seen(85, 1200), seen(90, 500, { speedMps: 9 })], [note(80, 91)])).toEqual([]);
  });

  test('that begin find a track inside as "first received inside"', () => {
    const evaluator = new Evaluator(zoneOf({ hours }));
    expect(words(evaluator.answer([seen(-5, 500), seen(5, 500)]))).toEqual(['+5 opened first_received_inside']);
  });
});

describe('a reference that rotates', () => {
  const fly = (evaluator: Evaluator, ref: string, from: number, to: number) => {
    for (let atS = from; atS < to; atS += 2) evaluator.answer([seen(atS, 500, { ref })], [note(atS - 2, atS)]);
  };

  test('is perhaps the same as the one that fell silent near it; both alarms stay', () => {
    const evaluator = new Evaluator(zoneOf());
    fly(evaluator, 'RX-D-1', 0, 20);
    fly(evaluator, 'RX-D-2', 20, 40);
    const [first, second] = evaluator.transitions;
    expect(second?.perhapsSameAs).toBe(first?.key);
    expect(evaluator.transitions).toHaveLength(2);
    const [ended] = evaluator.answer([], [note(38, 200)]);
    expect([ended?.key, ended?.end]).toEqual([first?.key, 'reference_gone']);
  });

  test('is not taken for one that is still received, later or elsewhere', () => {
    const evaluator = new Evaluator(zoneOf());
    fly(evaluator, 'RX-D-1', 0, 20);
    evaluator.answer([seen(22, 900, { ref: 'RX-D-2' }), seen(110, 500, { ref: 'RX-D-3' })]);
    expect(evaluator.transitions.map(({ perhapsSameAs }) => perhapsSameAs)).toEqual([undefined, undefined, undefined]);
    evaluator.answer([seen(112, 500, { ref: 'RX-D-1' })]);
    expect(words(evaluator.answer([], [note(112, 240)])).filter((word) => word.includes('gone'))).toEqual([]);
  });
});
