import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { Evaluator, note, ruleOf, START_MS, seen, words, zoneOf } from './evaluation/world.fixture.ts';
import type { PermitTerms } from './permit.ts';
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
  const LIMITS = { field: 'height_agl_m', floor_m: null, ceiling_m: 100 } as const;
  const permit: PermitTerms = {
    layers: ['rid'],
    track: null,
    shape: null,
    vertical: LIMITS,
    start: '2026-11-21T11:59:00Z',
    end: '2026-11-21T12:01:00Z',
  };
  const permitted = (change: Partial<PermitTerms> = {}) => zoneOf({ permits: [{ ...permit, ...change }] });
  const isExpected = (
    change: Partial<PermitTerms>,
    { atS = 0, ...seenAs }: { atS?: number; heightAglM?: number | undefined; altitudeM?: number },
  ) => new Evaluator(permitted(change)).answer([seen(atS, 500, seenAs)])[0]?.expected;
  const LOW = { heightAglM: 80 };

  test('mark what they cover as expected: from a start to an end', () => {
    expect(isExpected({}, LOW)).toBe(true);
    expect(isExpected({}, { ...LOW, atS: 59 })).toBe(true);
    expect(isExpected({}, { ...LOW, atS: 60 })).toBe(false);
    expect(isExpected({ start: '2026-11-21T12:00:01Z' }, LOW)).toBe(false);
    expect(isExpected({ start: '2026-11-21T12:00:00Z' }, LOW)).toBe(true);
  });

  test('compare the height that they name with their limits; an unknown one is never within', () => {
    expect(isExpected({}, { heightAglM: 100 })).toBe(true);
    expect(isExpected({}, { heightAglM: 101 })).toBe(false);
    expect(isExpected({}, { altitudeM: 80 })).toBe(false);
    expect(isExpected({ vertical: { ...LIMITS, field: 'altitude_m' } }, { altitudeM: 80 })).toBe(true);
    expect(isExpected({ vertical: { ...LIMITS, floor_m: 90 } }, LOW)).toBe(false);
    expect(isExpected({ vertical: null }, {})).toBe(true);
  });

  test('are for one reference, or for every track of their layers in their area', () => {
    expect(isExpected({ track: { layer: 'rid', ref: 'RX-D-0000000000000001' } }, LOW)).toBe(true);
    expect(isExpected({ track: { layer: 'rid', ref: 'RX-D-0000000000000002' } }, LOW)).toBe(false);
    expect(isExpected({ layers: ['adsb'] }, LOW)).toBe(false);
    const circle = (radius_m: number) => ({
      type: 'Circle' as const,
      centre: [8.5, 47.4] as [number, number],
      radius_m,
    });
    expect(isExpected({ shape: circle(600) }, LOW)).toBe(true);
    expect(isExpected({ shape: circle(400) }, LOW)).toBe(false);
  });

  test('outlive a reference, if they name a volume', () => {
    const evaluator = new Evaluator(permitted());
    evaluator.answer([seen(0, 500, LOW), seen(5, 500, { ...LOW, ref: 'RX-D-0000000000000007' })]);
    expect(evaluator.transitions.map(({ expected }) => expected)).toEqual([true, true]);
  });

  test('cover no longer what goes beyond them: the alarm is announced', () => {
    const evaluator = new Evaluator(permitted());
    for (const [index, heightAglM] of [80, 90, 130, 140].entries())
      evaluator.answer([seen(index * 5, 500, { heightAglM })]);
    expect(evaluator.transitions.map(({ type, expected }) => [type, expected])).toEqual([
      ['opened', true],
      ['reopened', false],
    ]);
  });

  test('of an alarm that is open make it expected, once, until it goes beyond them; a restart changes nothing', () => {
    const evaluator = new Evaluator(zoneOf());
    evaluator.answer([seen(0, 500, LOW)]);
    evaluator.change(permitted());
    evaluator.answer([seen(5, 500, { heightAglM: undefined })]);
    evaluator.answer([seen(10, 500, LOW)]);
    evaluator.restart();
    evaluator.answer([seen(15, 500, LOW)]);
    evaluator.answer([seen(20, 500, { heightAglM: 300 })]);
    expect(evaluator.transitions.map(({ type, at, expected }) => [type, Number(at) - START_MS, expected])).toEqual([
      ['opened', 0, false],
      ['permitted', 10_000, true],
      ['reopened', 20_000, false],
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
