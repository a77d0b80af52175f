import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ALARM_KINDS } from './alarm.ts';
import { ALARM_KIND_TEXT } from './alarm-words.ts';
import { evaluate } from './evaluate.ts';
import { compileZones } from './evaluation/compile-zones.ts';
import type { WatchedRule } from './evaluation/transition.ts';
import { seen, words, zoneOf } from './evaluation/world.fixture.ts';
import { emptyZoneState } from './evaluation/zone-state.ts';
import { ruleSchema, ruleSchemaOf } from './rule.ts';
import { inputsOf, type KindRow, kindOf, RULE_KIND_ROWS, reachM } from './rule-kinds.ts';

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
  reachM: () => 7000,
};

const schema = ruleSchemaOf([...RULE_KIND_ROWS, TURNED]);

test('a kind of one row has its schema with limits, next to those of the others', () => {
  expect(schema.parse({ kind: 'turned', layers: ['rid'], heading_deg: 90 })).toMatchObject({
    hold_s: 0,
    heading_deg: 90,
  });
  expect(schema.safeParse({ kind: 'turned', layers: ['rid'], heading_deg: 360 }).success).toBe(false);
  expect(schema.safeParse({ kind: 'entered', layers: ['rid'], heading_deg: 90 }).success).toBe(false);
  expect(ruleSchema.safeParse({ kind: 'turned', layers: ['rid'], heading_deg: 90 }).success).toBe(false);
});

test('a kind of one row is evaluated, and its reach grows the zone', () => {
  const rule = { id: 'rule', ...schema.parse({ kind: 'turned', layers: ['rid'], heading_deg: 90 }) };
  const kinds = new Map([['turned', TURNED]]);
  const zones = compileZones([zoneOf({ rules: [rule as unknown as WatchedRule] })], undefined, undefined, kinds);
  const headings = [80, 100, 110, 70];
  const { transitions } = evaluate(
    zones,
    emptyZoneState(),
    headings.map((headingDeg, index) => seen(index * 5, 500, { headingDeg })),
    [],
  );
  expect(words(transitions)).toEqual(['+5 opened turned', '+15 ended left']);
  const [{ north, south } = { north: 0, south: 0 }] = zones.zones.get('zone')?.around ?? [];
  expect((north - south) * 111_195).toBeGreaterThan(2 * 8000);
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
