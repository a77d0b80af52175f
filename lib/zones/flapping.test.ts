import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Transition, WatchedRule, WatchedZone } from './evaluation/transition.ts';
import { Evaluator, note, RADIUS_M, seen, words, zoneOf } from './evaluation/world.fixture.ts';
import { ruleSchema } from './rule.ts';
import type { RuleKind } from './rule-kinds.ts';

/** Seconds after the start, metres north of the centre: inside below `RADIUS_M`. */
type Fix = readonly [atS: number, northM: number, change?: Partial<Position>];

/** A rule as the form offers it. */
function offered(kind: RuleKind, more: object = {}) {
  return { ...ruleSchema.parse({ kind, layers: ['rid', 'adsb'], ...more }), id: kind } as WatchedRule;
}

function evaluated(zone: Partial<WatchedZone>, fixes: readonly Fix[]): readonly Transition[] {
  const evaluator = new Evaluator(zoneOf(zone));
  let readS = -1;
  for (const [atS, northM, change] of fixes) {
    evaluator.answer([seen(atS, northM, change)], [note(readS, atS)]);
    readS = atS;
  }
  return evaluator.transitions;
}

/** As a destination of the form hears them: an end only after a minute without a return. */
function announced(transitions: readonly Transition[]): readonly string[] {
  return words(
    transitions.filter(
      ({ type, key, at }, index) =>
        type !== 'returned' &&
        (type !== 'ended' ||
          !transitions.some(
            (next, later) => later > index && next.key === key && Number(next.at) - Number(at) <= MINUTE_MS,
          )),
    ),
  );
}

function everySecond(seconds: number, fix: (atS: number) => Fix): Fix[] {
  return Array.from({ length: seconds }, (_, atS) => fix(atS));
}

const swing = (atS: number, periodS: number) => Math.sin((2 * Math.PI * atS) / periodS);
const entered = { rules: [offered('entered')] };

describe('three minutes of a track that flaps, with the rule as offered', () => {
  const cases: readonly (readonly [what: string, zone: Partial<WatchedZone>, fixes: readonly Fix[], atMost: number])[] =
    [
      [
        'hovers on the edge and wanders by 45 m',
        entered,
        everySecond(180, (atS) => [atS, RADIUS_M + (45 * (swing(atS, 6.3) + swing(atS, 8.5))) / 2]),
        1,
      ],
      ['wanders by 45 m in 40 s', entered, everySecond(180, (atS) => [atS, RADIUS_M + 45 * swing(atS, 40)]), 2],
      ['wanders by 80 m in 90 s', entered, everySecond(180, (atS) => [atS, RADIUS_M + 80 * swing(atS, 90)]), 1],
      ['wanders by 20 m', entered, everySecond(180, (atS) => [atS, RADIUS_M + 20 * swing(atS, 7)]), 0],
      [
        'is received by two stations whose positions differ by 50 m',
        entered,
        everySecond(180, (atS) => [atS, RADIUS_M + (atS % 2 === 0 ? 25 : -25)]),
        0,
      ],
      [
        'is received for 20 s of every 40 s, each time on the other side',
        entered,
        everySecond(180, (atS): Fix => [atS, RADIUS_M + (atS % 80 < 40 ? -60 : 60)]).filter(([atS]) => atS % 40 < 20),
        1,
      ],
      [
        'is received for 20 s of every 40 s inside',
        entered,
        everySecond(180, (atS): Fix => [atS, 500]).filter(([atS]) => atS % 40 < 20),
        1,
      ],
      [
        'flies at the ceiling by barometric steps of 25 ft',
        {
          ...entered,
          vertical: { field: 'altitude_m', floor_m: null, ceiling_m: 120, unknown: 'counts' },
        },
        everySecond(180, (atS) => [atS, 500, { altitudeM: atS % 3 === 0 ? 121.9 : 114.3 }]),
        1,
      ],
      [
        'flies at the limit of a height rule, 7.5 m above and below',
        { rules: [offered('height', { beyond: 'above', field: 'height_agl_m', height_m: 120 })] },
        everySecond(180, (atS) => [atS, 500, { heightAglM: 120 + 7.5 * swing(atS, 30) }]),
        1,
      ],
      [
        'flies around the limit of a speed rule',
        { rules: [offered('speed', { beyond: 'above', speed_mps: 20 })] },
        everySecond(180, (atS) => [atS, 500, { speedMps: 20 + 3 * swing(atS, 8) }]),
        1,
      ],
      [
        'turns towards the zone and away',
        { rules: [offered('about_to_enter', { within_s: 60 })] },
        everySecond(180, (atS) => [atS, 1400, { speedMps: 10, headingDeg: atS % 6 < 3 ? 180 : 90 }]),
        1,
      ],
      [
        'reports an emergency now and then',
        { rules: [offered('emergency')] },
        everySecond(180, (atS) => [atS, 500, { emergencyState: atS % 8 < 4 ? 'general' : 'none' }]),
        1,
      ],
      [
        'leaves and comes back by 45 m',
        { rules: [offered('left')] },
        everySecond(180, (atS) => [atS, RADIUS_M + 45 * swing(atS, 8)]),
        0,
      ],
      [
        'changes its reference at the edge each minute',
        entered,
        everySecond(180, (atS) => [
          atS,
          RADIUS_M + 20 * swing(atS, 7) - 25,
          { ref: `RX-D-${String(Math.floor(atS / 60)).padStart(16, '0')}` },
        ]),
        3,
      ],
      [
        'keeps coming back into a zone that raises silence',
        { rules: [offered('nothing_received', { for_s: 60 })] },
        everySecond(180, (atS): Fix => [atS, RADIUS_M + 45 * swing(atS, 7)]),
        0,
      ],
    ];

  test.each(cases)('%s', (_what, zone, fixes, atMost) => {
    const alarms = announced(evaluated(zone, fixes));
    expect(alarms.length, alarms.join(', ')).toBeLessThanOrEqual(atMost);
  });
});

describe('two tracks at the limit of their distance', () => {
  test('are announced once', () => {
    const evaluator = new Evaluator(
      zoneOf({ rules: [offered('closer', { horizontal_m: 200, vertical_m: null, field: 'altitude_m' })] }),
    );
    for (let atS = 0; atS < 180; atS++)
      evaluator.answer([seen(atS, 0), seen(atS + 0.5, 200 + 20 * swing(atS, 9), { ref: 'RX-D-0000000000000002' })]);
    expect(announced(evaluator.transitions)).toHaveLength(1);
  });
});

describe('an incursion is announced, with the rule as offered', () => {
  test('at the position that is 30 m inside', () => {
    const fixes = everySecond(30, (atS) => [atS, RADIUS_M + 100 - 15 * atS] as const);
    expect(announced(evaluated(entered, fixes))).toEqual(['+9 opened entered']);
  });

  test('after 10 s, if it stays near the edge', () => {
    const fixes = everySecond(60, (atS) => [atS, atS < 5 ? RADIUS_M + 20 : RADIUS_M - 15] as const);
    expect(announced(evaluated(entered, fixes))).toEqual(['+15 opened entered']);
  });

  test('at the first position of a track that appears inside', () => {
    expect(announced(evaluated(entered, [[0, 500]]))).toEqual(['+0 opened first_received_inside']);
  });

  test('where it cuts a corner within 8 s, and goes 60 m deep', () => {
    const fixes = everySecond(60, (atS) => [atS, RADIUS_M - 60 + 15 * Math.abs(atS - 20)] as const);
    expect(announced(evaluated(entered, fixes))).toEqual(['+18 opened entered', '+24 ended left']);
  });

  test('where no position is inside', () => {
    expect(
      announced(
        evaluated(entered, [
          [0, 1500],
          [10, -1500],
          [20, -3500],
          [90, -9000],
        ]),
      ),
    ).toEqual(['+10 opened crossed_between', '+10 ended left']);
  });

  test('where one position is inside, and not deep', () => {
    const place = { lon: 8.5 + 0.03, lat: 47.4 };
    const transitions = evaluated(entered, [
      [0, 1300, {}],
      [5, RADIUS_M - 20],
      [10, 1000, place],
    ]);
    expect(words(transitions)).toEqual(['+10 opened entered']);
    expect(transitions[0]?.evidence).toHaveLength(3);
  });

  test.each([10, 25, 40])('in a zone with a radius of %d m, at 5 m/s', (radius_m) => {
    const shape: WatchedZone['shape'] = { type: 'Circle', centre: [8.5, 47.4], radius_m };
    const fixes = everySecond(60, (atS) => [atS, 150 - 5 * atS] as const);
    expect(announced(evaluated({ ...entered, shape }, fixes))[0]).toMatch(/opened entered$/);
  });

  test('in a layer that is thinner than a barometric step', () => {
    const vertical = { field: 'altitude_m', floor_m: 100, ceiling_m: 106, unknown: 'counts' } as const;
    const fixes = everySecond(60, (atS) => [atS, 500, { altitudeM: 60 + 2 * atS }] as const);
    expect(announced(evaluated({ ...entered, vertical }, fixes))[0]).toMatch(/opened entered$/);
  });

  test('again, if it comes back after more than a minute', () => {
    const fixes = everySecond(200, (atS) => [atS, atS < 30 || atS >= 130 ? 500 : 1500] as const);
    expect(announced(evaluated(entered, fixes))).toEqual([
      '+0 opened first_received_inside',
      '+30 ended left',
      '+130 opened entered',
    ]);
  });
});

describe('a rule', () => {
  test('that asks for time only is not opened by depth, nor the other way round', () => {
    expect(offered('entered', { hold_s: 60 })).toMatchObject({ hold_s: 60, hold_m: 0, hold_out_s: 10, hold_out_m: 30 });
    const fixes = everySecond(59, (atS) => [atS, 0] as const);
    expect(evaluated({ rules: [offered('entered', { hold_s: 60 })] }, fixes)).toEqual([]);
    const shallow = everySecond(59, (atS) => [atS, RADIUS_M - 10] as const);
    expect(evaluated({ rules: [offered('entered', { hold_m: 30 })] }, shallow)).toEqual([]);
  });
});
