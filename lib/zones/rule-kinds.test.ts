import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ALARM_KINDS } from './alarm.ts';
import { ALARM_KIND_TEXT } from './alarm-words.ts';
import { evaluate } from './evaluate.ts';
import { compileZones } from './evaluation/compile-zones.ts';
import type { WatchedRule } from './evaluation/transition.ts';
import { note, seen, words, zoneOf } from './evaluation/world.fixture.ts';
import { emptyZoneState } from './evaluation/zone-state.ts';
import { ruleSchema, ruleSchemaOf } from './rule.ts';
import { alarmsOfKinds, inputsOf, type KindRow, kindOf, RULE_KIND_ROWS, reachM, ruleKindText } from './rule-kinds.ts';

/** A kind in one row: a track that a position places west of a heading’s limit. */
const TURNED: KindRow = {
  kind: 'turned',
  title: 'Turned beyond',
  alarms: { turned: 'Turned beyond the limit' },
  hold: { inside: 'prompt', outside: 'prompt' },
  fields: {
    heading_deg: {
      schema: z.number().check(z.gte(0), z.lte(359)),
      input: { label: 'Heading', unit: 's', min: 0, max: 359 },
    },
  },
  starts: { heading_deg: 180 },
  text: ({ heading_deg }) => `Turned beyond ${heading_deg}°`,
  decidesBy: 'place',
  measure: ({ heading_deg }, { headingDeg }) => ({
    value: headingDeg,
    beyond: 'above',
    limit: heading_deg as number,
    step: 1,
  }),
};

/** A kind that decides by two tracks. */
const ABREAST: KindRow = {
  kind: 'abreast',
  title: 'Two tracks abreast',
  alarms: { abreast: 'Two tracks abreast' },
  hold: { inside: 'prompt', outside: 'prompt' },
  fields: {
    abreast_m: { schema: z.number(), input: { label: 'Abreast within', unit: 'length', min: 1, max: 9000 } },
  },
  starts: { abreast_m: 100 },
  decidesBy: 'pairs',
  apart: ({ abreast_m }) => ({ horizontalM: abreast_m as number, verticalM: null, field: 'altitude_m' }),
};

/** A kind that decides by the absence of tracks. */
const UNVISITED: KindRow = {
  kind: 'unvisited',
  title: 'Not visited',
  alarms: { unvisited: 'Not visited while watched' },
  hold: { inside: 'prompt', outside: 'prompt' },
  fields: { hours: { schema: z.number(), input: { label: 'Not visited for', unit: 's', min: 1, max: 24 } } },
  starts: { hours: 1 },
  text: ({ hours }) => `Not visited for ${hours} h`,
  decidesBy: 'absence',
  quietS: ({ hours }) => (hours as number) * 3600,
};

const TOYS = [TURNED, ABREAST, UNVISITED];
const kinds = new Map(TOYS.map((row) => [row.kind, row]));
const schema = ruleSchemaOf([...RULE_KIND_ROWS, ...TOYS]);

function toyZones(rule: { kind: string } & Record<string, unknown>) {
  const read = { id: 'rule', ...schema.parse({ layers: ['rid', 'adsb'], ...rule }) } as unknown as WatchedRule;
  return compileZones([zoneOf({ rules: [read] })], undefined, undefined, kinds);
}

test('a kind of one row has its schema with limits, next to those of the others', () => {
  expect(schema.parse({ kind: 'turned', layers: ['rid'], heading_deg: 90 })).toMatchObject({
    hold_s: 0,
    heading_deg: 90,
  });
  expect(schema.safeParse({ kind: 'turned', layers: ['rid'], heading_deg: 360 }).success).toBe(false);
  expect(schema.safeParse({ kind: 'entered', layers: ['rid'], heading_deg: 90 }).success).toBe(false);
  expect(ruleSchema.safeParse({ kind: 'turned', layers: ['rid'], heading_deg: 90 }).success).toBe(false);
});

test('a kind of one row that decides by place is evaluated', () => {
  const headings = [80, 100, 110, 70];
  const { transitions } = evaluate(
    toyZones({ kind: 'turned', heading_deg: 90 }),
    emptyZoneState(),
    headings.map((headingDeg, index) => seen(index * 5, 500, { headingDeg })),
    [],
  );
  expect(words(transitions)).toEqual(['+5 opened turned', '+15 ended left']);
});

test('a kind of one row that decides by pairs is evaluated, and its distance grows the zone', () => {
  const zones = toyZones({ kind: 'abreast', abreast_m: 7000 });
  const aircraft = (atS: number, northM: number) => seen(atS, northM, { kind: 'aircraft' });
  const { transitions } = evaluate(
    zones,
    emptyZoneState(),
    [
      ...[seen(0, 500), aircraft(1, 9000), seen(2, 500), aircraft(3, 7000), seen(4, 500)],
      ...[aircraft(5, 8000), seen(6, 500)],
    ],
    [],
  );
  expect(words(transitions)).toEqual(['+4 opened abreast', '+5 ended left']);
  expect(transitions[0]?.other).toEqual({ layer: 'rid', ref: 'RX-D-0000000000000001' });
  const [{ north, south } = { north: 0, south: 0 }] = zones.zones.get('zone')?.around ?? [];
  expect((north - south) * 111_195).toBeGreaterThan(2 * 8000);
});

test('a kind of one row that decides by absence is evaluated', () => {
  const zones = toyZones({ kind: 'unvisited', hours: 1, layers: ['rid'] });
  const state = emptyZoneState();
  const transitions = [0, 1800, 3600, 5400].flatMap(
    (atS) => evaluate(zones, state, [], [note(atS, atS + 1800)]).transitions,
  );
  transitions.push(...evaluate(zones, state, [seen(7300, 500)], []).transitions);
  expect(words(transitions)).toEqual(['+3610 opened unvisited', '+7300 ended left']);
});

test('the words of a kind are those of its row', () => {
  const textOf = (rule: { kind: string } & Record<string, unknown>) => ruleKindText(rule, 'metric', kinds);
  expect(textOf({ kind: 'turned', heading_deg: 90 })).toBe('Turned beyond 90°');
  expect(textOf({ kind: 'abreast', abreast_m: 100 })).toBe('Two tracks abreast');
  expect(textOf({ kind: 'unvisited', hours: 2 })).toBe('Not visited for 2 h');
  expect(Object.fromEntries(alarmsOfKinds(TOYS))).toEqual({
    turned: { text: 'Turned beyond the limit', relation: 'in', rule: 'turned', isInside: true },
    abreast: { text: 'Two tracks abreast', relation: 'in', rule: 'abreast', isInside: false },
    unvisited: { text: 'Not visited while watched', relation: 'in', rule: 'unvisited', isInside: false },
  });
});

test('alarms are about being inside where a rule decides by place, and not once a track has left', () => {
  const inside = [...alarmsOfKinds(RULE_KIND_ROWS)].filter(([, { isInside }]) => isInside).map(([kind]) => kind);
  expect(inside).toEqual([
    ...['entered', 'first_received_inside', 'crossed_between', 'inside_longer', 'speed', 'height', 'emergency'],
  ]);
});

test('a row gives the fields of its form in their order', () => {
  expect(inputsOf(TURNED)).toEqual([['heading_deg', { label: 'Heading', unit: 's', min: 0, max: 359 }]]);
  expect(inputsOf(kindOf({ kind: 'height' })).map(([name]) => name)).toEqual(['field', 'beyond', 'height_m']);
});

test('the form of each kind takes the numbers that its schema takes', () => {
  for (const { kind, starts } of RULE_KIND_ROWS)
    for (const [name, input] of inputsOf(kindOf({ kind }))) {
      if ('choices' in input) continue;
      const takes = (value: number | null) =>
        ruleSchema.safeParse({ kind, layers: ['rid'], ...starts, [name]: value }).success;
      const { min, max, emptyMeans } = input;
      expect([min, max, min - 1, max + 1].map(takes), `${kind} ${name}`).toEqual([true, true, false, false]);
      expect(takes(null), `${kind} ${name}`).toBe(emptyMeans !== undefined);
    }
});

test('a new rule of each kind is valid, and each kind of alarm has words', () => {
  for (const { kind, starts } of RULE_KIND_ROWS)
    expect(ruleSchema.parse({ kind, layers: ['rid'], ...starts })).toMatchObject({ kind, ...starts });
  for (const kind of ALARM_KINDS) expect(ALARM_KIND_TEXT[kind]).toMatch(/^[A-Z]/);
});

test('fields keep the order in which rules are stored: another one would end open alarms', () => {
  const own = (kind: string) => {
    const { starts } = kindOf({ kind });
    return Object.keys(ruleSchema.parse({ kind, layers: ['rid'], ...starts })).slice(-Object.keys(starts).length);
  };
  expect(own('speed')).toEqual(['beyond', 'speed_mps']);
  expect(own('height')).toEqual(['beyond', 'field', 'height_m']);
  expect(own('closer')).toEqual(['horizontal_m', 'vertical_m', 'field']);
});

test('a rule reaches as far as two tracks may be apart, or a track may fly while it is projected', () => {
  const rule = (kind: string, more: object) => ruleSchema.parse({ kind, layers: ['rid'], ...more });
  expect(reachM(rule('closer', { horizontal_m: 700, vertical_m: null, field: 'altitude_m' }), 'rid')).toBe(700);
  expect(reachM(rule('about_to_enter', { within_s: 100 }), 'adsb')).toBe(25_000);
  expect(reachM(rule('entered', {}), 'adsb')).toBe(0);
});
