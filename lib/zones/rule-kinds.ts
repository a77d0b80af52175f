import * as z from 'zod/mini';
import { durationText } from '#lib/model/duration-text.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import { lengthText, speedText } from '#lib/model/measure-text.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { Measure, UnitSystem } from '#lib/model/units.ts';
import { HEIGHT_FIELD_TEXT, HEIGHT_FIELDS, HEIGHT_LIMITS_M, type HeightField, heightM } from './height-field.ts';

/**
 * The kinds of rules, each in one row: its words, its fields with their limits and their form, and how it decides. The
 * fields that all kinds have are in `rule.ts`. A row decides by data: the states and holds of alarms are the evaluation's.
 */
export type KindRow<
  Kind extends string = string,
  Fields extends RuleFields = RuleFields,
  AlarmKind extends string = string,
> = KindFacts<Kind, Fields, AlarmKind> & Decides<ValuesOf<Fields>>;

interface KindFacts<Kind extends string, Fields extends RuleFields, AlarmKind extends string> {
  readonly kind: Kind;
  /** Where an operator chooses a kind. */
  readonly title: string;
  /** The kinds of alarms that it raises, in words that follow “Drone” or “Aircraft”. */
  readonly alarms: Readonly<Record<AlarmKind, string>>;
  /** How the track is to the zone, between the two names: `left`. Default: `in`. */
  readonly relations?: Readonly<Partial<Record<NoInfer<AlarmKind>, string>>>;
  /** Defaults: `held` holds the edge of a zone, `prompt` opens or ends at once. */
  readonly hold: { readonly inside: 'held' | 'prompt'; readonly outside: 'held' | 'prompt' };
  readonly fields: Fields;
  /** The order of the form, where it is not that of the fields. */
  readonly form?: readonly (keyof Fields & string)[];
  /** Fields of a new rule. */
  readonly starts: ValuesOf<Fields>;
  /** A rule of the kind in words. Default: the title. */
  text?(rule: ValuesOf<Fields>, units: UnitSystem): string;
  /** A condition on a position besides its place. Default: none. */
  measure?(rule: ValuesOf<Fields>, position: Position): Measured;
  /** Seconds inside that open an alarm; the metres of the hold then open none. */
  insideS?(rule: ValuesOf<Fields>): number;
  /** How many positions must agree before an alarm opens. Default: 1. */
  readonly positions?: number;
  /** The alarm opens when a track has left. Default: when it is inside. */
  readonly opensOutside?: true;
  /** The alarms of entries that no position before shows, and that lie between two positions outside. Default: none. */
  readonly entries?: { readonly firstReceived: NoInfer<AlarmKind>; readonly crossed: NoInfer<AlarmKind> };
}

/** By a track’s place, its projection, the distance of two tracks, or the absence of tracks. */
type Decides<Values> =
  | { readonly decidesBy: 'place' }
  /** In seconds ahead. */
  | { readonly decidesBy: 'projection'; projectedS(rule: Values): number }
  | { readonly decidesBy: 'pairs'; apart(rule: Values): PairDistance }
  /** In watched seconds without a track. */
  | { readonly decidesBy: 'absence'; quietS(rule: Values): number };

/** Tracks are a pair within these distances. */
export interface PairDistance {
  readonly horizontalM: number;
  /** null: at any height. */
  readonly verticalM: number | null;
  readonly field: HeightField;
}

/** A value compared with a limit, which may be on either side within a step; or a state. */
type Measured =
  | { readonly value: number | undefined; readonly beyond: Beyond; readonly limit: number; readonly step: number }
  | 'in'
  | 'unknown'
  | 'out';

type RuleFields = Readonly<Record<string, RuleField>>;
type ValuesOf<Fields extends RuleFields> = { readonly [Name in keyof Fields]: z.infer<Fields[Name]['schema']> };

interface RuleField<Schema extends z.ZodMiniType = z.ZodMiniType> {
  readonly schema: Schema;
  readonly input: RuleInput;
}

export type RuleInput =
  | {
      readonly label: string;
      readonly unit: Measure;
      readonly min: number;
      readonly max: number;
      /** The meaning of no value. */
      readonly emptyMeans?: string;
    }
  | { readonly label: string; readonly choices: readonly { readonly value: string; readonly label: string }[] };

type NumberInput = Extract<RuleInput, { unit: unknown }>;

function number(label: string, unit: NumberInput['unit'], min: number, max: number) {
  return { schema: z.number().check(z.gte(min), z.lte(max)), input: { label, unit, min, max } };
}

/** A number or null. @param emptyMeans what null means, in the empty field */
function optional({ schema, input }: ReturnType<typeof number>, emptyMeans: string) {
  return { schema: z.nullable(schema), input: { ...input, emptyMeans } };
}

const BEYOND = ['above', 'below'] as const;
type Beyond = (typeof BEYOND)[number];

const beyond = (label: string) => ({
  schema: z.enum(BEYOND),
  input: {
    label,
    choices: [
      { value: 'above', label: 'Above' },
      { value: 'below', label: 'Below' },
    ],
  },
});

const heightField = {
  schema: z.enum(HEIGHT_FIELDS),
  input: {
    label: 'Height',
    choices: HEIGHT_FIELDS.map((value) => ({
      value,
      label: value === 'height_agl_m' ? 'Above ground (estimated)' : 'Altitude, datum not stated',
    })),
  },
};

const HELD = { inside: 'held', outside: 'held' } as const;
/** The holds of a rule whose event is itself a time, a moment or a warning. */
const PROMPT = { inside: 'prompt', outside: 'held' } as const;

/** Speeds of ADS-B have steps of 1 kt, 0.5 m/s. */
const SPEED_STEP_MPS = 1;
/** A step of barometric altitude is 25 ft, 7.6 m: a height this near to a limit may be on either side. */
export const HEIGHT_STEP_M = 8;

function row<const Kind extends string, Fields extends RuleFields, const AlarmKind extends string>(
  its: KindRow<Kind, Fields, AlarmKind>,
): KindRow<Kind, Fields, AlarmKind> {
  return its;
}

export const RULE_KIND_ROWS = [
  row({
    kind: 'entered',
    title: 'Entered',
    alarms: {
      entered: 'Entered',
      first_received_inside: 'Appeared inside',
      crossed_between: 'Crossed between two positions',
    },
    relations: { crossed_between: 'crossed' },
    hold: HELD,
    fields: {},
    starts: {},
    decidesBy: 'place',
    entries: { firstReceived: 'first_received_inside', crossed: 'crossed_between' },
  }),
  row({
    kind: 'left',
    title: 'Left',
    alarms: { left: 'Left' },
    relations: { left: 'left' },
    hold: HELD,
    fields: {},
    starts: {},
    decidesBy: 'place',
    opensOutside: true,
  }),
  row({
    kind: 'inside_longer',
    title: 'Inside longer than',
    alarms: { inside_longer: 'Inside longer than allowed' },
    hold: PROMPT,
    fields: { longer_s: number('Inside longer than', 's', 1, 86_400) },
    starts: { longer_s: 60 },
    text: ({ longer_s }) => `Inside longer than ${durationText(longer_s * 1000)}`,
    decidesBy: 'place',
    insideS: ({ longer_s }) => longer_s,
  }),
  row({
    kind: 'speed',
    title: 'Speed beyond',
    alarms: { speed: 'Speed beyond the limit' },
    hold: HELD,
    fields: { beyond: beyond('Speed'), speed_mps: number('Speed', 'speed', 0, 2000) },
    starts: { beyond: 'above', speed_mps: 20 },
    text: (rule, units) => `Speed ${rule.beyond} ${speedText(units, rule.speed_mps)}`,
    decidesBy: 'place',
    measure: (rule, { speedMps }) => ({
      value: speedMps,
      beyond: rule.beyond,
      limit: rule.speed_mps,
      step: SPEED_STEP_MPS,
    }),
  }),
  row({
    kind: 'height',
    title: 'Height beyond',
    alarms: { height: 'Height beyond the limit' },
    hold: HELD,
    fields: {
      beyond: beyond('Beyond'),
      field: heightField,
      height_m: number('Limit', 'length', HEIGHT_LIMITS_M.min, HEIGHT_LIMITS_M.max),
    },
    form: ['field', 'beyond', 'height_m'],
    starts: { beyond: 'above', field: 'height_agl_m', height_m: 120 },
    text: (rule, units) =>
      `${rule.beyond === 'above' ? 'Above' : 'Below'} ${lengthText(units, rule.height_m)} (${HEIGHT_FIELD_TEXT[rule.field]})`,
    decidesBy: 'place',
    measure: (rule, position) => ({
      value: heightM(position, rule.field),
      beyond: rule.beyond,
      limit: rule.height_m,
      step: HEIGHT_STEP_M,
    }),
  }),
  row({
    kind: 'emergency',
    title: 'Emergency reported',
    alarms: { emergency: 'Reported an emergency' },
    relations: { emergency: 'reported an emergency in' },
    hold: PROMPT,
    fields: {},
    starts: {},
    decidesBy: 'place',
    // A state that is not known raises and ends nothing.
    measure: (_, { emergencyState }) =>
      emergencyClass(emergencyState) === 'emergency' ? 'in' : emergencyState === 'none' ? 'out' : 'unknown',
    // One position may be garbled.
    positions: 2,
  }),
  row({
    kind: 'closer',
    title: 'Two tracks closer than',
    alarms: { closer: 'Close to another track' },
    relations: { closer: 'close to each other in' },
    hold: PROMPT,
    /** One of both tracks is in the zone. */
    fields: {
      horizontal_m: number('Closer than, over ground', 'length', 1, 50_000),
      vertical_m: optional(number('Closer than, vertically', 'length', 0, 20_000), 'any'),
      field: heightField,
    },
    starts: { horizontal_m: 500, vertical_m: 100, field: 'altitude_m' },
    text: ({ horizontal_m, vertical_m, field }, units) => {
      const vertical = vertical_m === null ? '' : ` and ${lengthText(units, vertical_m)} (${HEIGHT_FIELD_TEXT[field]})`;
      return `Two tracks closer than ${lengthText(units, horizontal_m)}${vertical}`;
    },
    decidesBy: 'pairs',
    apart: ({ horizontal_m, vertical_m, field }) => ({ horizontalM: horizontal_m, verticalM: vertical_m, field }),
  }),
  row({
    kind: 'about_to_enter',
    title: 'About to enter (projection)',
    alarms: { about_to_enter: 'About to enter (projection)' },
    relations: { about_to_enter: 'about to enter' },
    hold: PROMPT,
    fields: { within_s: number('Enters within', 's', 1, 600) },
    starts: { within_s: 60 },
    text: ({ within_s }) => `About to enter within ${within_s} s (projection)`,
    decidesBy: 'projection',
    projectedS: ({ within_s }) => within_s,
  }),
  row({
    kind: 'nothing_received',
    title: 'Nothing received',
    // It counts watched time only, and says nothing about actual traffic.
    alarms: { nothing_received: 'Not received while watched' },
    relations: { nothing_received: 'not received in' },
    hold: { inside: 'prompt', outside: 'prompt' },
    fields: { for_s: number('Nothing received for', 'min', 60, 86_400) },
    starts: { for_s: 600 },
    text: ({ for_s }) => `Nothing received for ${durationText(for_s * 1000)} while watched`,
    decidesBy: 'absence',
    quietS: ({ for_s }) => for_s,
  }),
] as const;

export type RuleKind = (typeof RULE_KIND_ROWS)[number]['kind'];
export const RULE_KINDS: readonly RuleKind[] = RULE_KIND_ROWS.map(({ kind }) => kind);
export type AlarmKindOfRule = (typeof RULE_KIND_ROWS)[number] extends infer Row
  ? Row extends { readonly alarms: infer Alarms }
    ? keyof Alarms & string
    : never
  : never;

export type KindTable = ReadonlyMap<string, KindRow>;
const KINDS: KindTable = new Map(RULE_KIND_ROWS.map((its): [string, KindRow] => [its.kind, its]));

/** @param kinds default: all */
export function kindOf({ kind }: { readonly kind: string }, kinds: KindTable = KINDS): KindRow {
  const its = kinds.get(kind);
  if (!its) throw new RangeError(`${kind} is no kind of rule`);
  return its;
}

/** A rule in words, without the conditions of all kinds. */
export function ruleKindText(rule: { readonly kind: string }, units: UnitSystem, kinds?: KindTable): string {
  const row = kindOf(rule, kinds);
  return row.text?.(rule as ValuesOf<RuleFields>, units) ?? row.title;
}

interface AlarmOfKind {
  readonly text: string;
  /** Between the names of the track and the zone. */
  readonly relation: string;
  /** The kind of its rule. */
  readonly rule: string;
  /** Whether it is about a track that is inside. */
  readonly isInside: boolean;
}

/** The kinds of alarms that kinds of rules raise. */
export function alarmsOfKinds(rows: readonly KindRow[]): ReadonlyMap<string, AlarmOfKind> {
  return new Map(
    rows.flatMap(({ kind, alarms, relations = {}, decidesBy, opensOutside = false }) =>
      Object.entries(alarms).map(([alarm, text]) => [
        alarm,
        { text, relation: relations[alarm] ?? 'in', rule: kind, isInside: decidesBy === 'place' && !opensOutside },
      ]),
    ),
  );
}

/** The fields of a kind in the order of its form. */
export function inputsOf({ fields, form = Object.keys(fields) }: KindRow): readonly (readonly [string, RuleInput])[] {
  return form.flatMap((name) => (fields[name] ? [[name, fields[name].input] as const] : []));
}

/** Rules that look ahead see faster tracks later. */
const TOP_SPEED_MPS: Readonly<Record<Layer, number>> = { rid: 40, adsb: 250 };

/** Metres around a zone from which a track of the layer can raise an alarm. */
export function reachM(rule: { readonly kind: string }, layer: Layer): number {
  const row = kindOf(rule);
  const values = rule as ValuesOf<RuleFields>;
  return row.decidesBy === 'projection' ? row.projectedS(values) * TOP_SPEED_MPS[layer] : apartM(rule);
}

/** Metres around a zone in which the second track of a pair may be; 0 for a rule that decides by one. */
export function apartM(rule: { readonly kind: string }, kinds?: KindTable): number {
  const row = kindOf(rule, kinds);
  return row.decidesBy === 'pairs' ? row.apart(rule as ValuesOf<RuleFields>).horizontalM : 0;
}
