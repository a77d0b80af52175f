import * as z from 'zod/mini';
import { LAYERS } from '#lib/contract/operation.ts';
import { CONFIDENCE_LABELS } from '#lib/model/confidence.ts';
import { type KindRow, RULE_KIND_ROWS } from './rule-kinds.ts';

/**
 * 30 m is accuracy class 9 of Remote ID and of ADS-B, the least that most aircraft report. Two fixes of a slow track are
 * 10 s apart at most. docs/decisions/0030 has the measurements.
 */
const HOLD_S = 10;
const HOLD_M = 30;

/** Limits of what all kinds of rules have. */
export const RULE_LIMITS = {
  hold_s: { min: 0, max: 3600 },
  hold_m: { min: 0, max: 10_000 },
  min_receivers: { min: 1, max: 100 },
  after_s: { min: 60, max: 86_400 },
  destinations: 5,
  /** How many rules a zone may have. */
  rules: 20,
} as const;

export const inLimits = ({ min, max }: { readonly min: number; readonly max: number }) =>
  [z.gte(min), z.lte(max)] as const;
const holdS = (seconds: number) => z._default(z.number().check(...inLimits(RULE_LIMITS.hold_s)), seconds);
const holdM = (metres: number) => z._default(z.number().check(...inLimits(RULE_LIMITS.hold_m)), metres);

const subject = {
  /** A rule without one is new. */
  id: z.optional(z.uuid()),
  layers: z.array(z.enum(LAYERS)).check(z.minLength(1)),
  /** null: every label, known or not. */
  confidence: z._default(z.nullable(z.array(z.enum(CONFIDENCE_LABELS)).check(z.minLength(1))), null),
  /** A position without a count fails a minimum above 1. */
  min_receivers: z._default(z.int().check(...inLimits(RULE_LIMITS.min_receivers)), 1),
  simulated: z._default(z.boolean(), false),
  test: z._default(z.boolean(), false),
  /** The ids of destinations. */
  notify: z._default(z.array(z.uuid()).check(z.maxLength(RULE_LIMITS.destinations)), []),
  /** Unless an operator acknowledged or closed the alarm by then. */
  escalate: z._default(
    z.nullable(z.strictObject({ destination: z.uuid(), after_s: z.int().check(...inLimits(RULE_LIMITS.after_s)) })),
    null,
  ),
};

/** The fields of all kinds, with the defaults of the hold inside and outside. */
function conditions({ inside, outside }: KindRow['hold']) {
  return {
    ...subject,
    /** Seconds of observed time inside. With `hold_m`, whichever is reached first. 0: not asked for. */
    hold_s: holdS(inside === 'held' ? HOLD_S : 0),
    /** Metres inside the edge, at most half of the zone's depth. */
    hold_m: holdM(inside === 'held' ? HOLD_M : 0),
    /** The alarm ends after so long outside, and so far. */
    hold_out_s: holdS(outside === 'held' ? HOLD_S : 0),
    hold_out_m: holdM(outside === 'held' ? HOLD_M : 0),
  };
}

type Conditions = ReturnType<typeof conditions>;
type ShapeOf<Row extends KindRow> = {
  readonly [Name in keyof Row['fields']]: Row['fields'][Name]['schema'];
};
type SchemaOf<Row extends KindRow> = Row extends KindRow
  ? z.ZodMiniObject<{ kind: z.ZodMiniLiteral<Row['kind']> } & Conditions & ShapeOf<Row>, z.core.$strict>
  : never;
type SchemasOf<Rows extends readonly KindRow[]> = { readonly [Index in keyof Rows]: SchemaOf<Rows[Index]> };

/** The order of the fields is stored with open alarms: another order would end them. */
function schemaOf(row: KindRow) {
  const own = Object.fromEntries(Object.entries(row.fields).map(([name, { schema }]) => [name, schema]));
  return z.strictObject({ kind: z.literal(row.kind), ...conditions(row.hold), ...own });
}

/** One of `hold_s` and `hold_m`, or of those outside, without the other asks for it alone. */
export function ruleSchemaOf<const Rows extends readonly [KindRow, ...KindRow[]]>(rows: Rows) {
  const kinds = z.discriminatedUnion('kind', rows.map(schemaOf) as unknown as SchemasOf<Rows>);
  return z.pipe(z.transform(withZeros), kinds);
}

export const ruleSchema = ruleSchemaOf(RULE_KIND_ROWS);
export type Rule = z.infer<typeof ruleSchema>;

const HOLD_PAIRS = [
  ['hold_s', 'hold_m'],
  ['hold_out_s', 'hold_out_m'],
] as const;

function withZeros(rule: unknown): unknown {
  if (typeof rule !== 'object' || rule === null) return rule;
  const zeros = HOLD_PAIRS.flatMap((pair) => (pair.some((name) => name in rule) ? pair.map((name) => [name, 0]) : []));
  return { ...Object.fromEntries(zeros), ...rule };
}
