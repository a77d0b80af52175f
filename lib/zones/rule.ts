import * as z from 'zod/mini';
import { LAYERS } from '#lib/contract/operation.ts';
import { CONFIDENCE_LABELS } from '#lib/model/confidence.ts';

/**
 * 30 m is accuracy class 9 of Remote ID and of ADS-B, the least that most aircraft report. Two fixes of a slow track are
 * 10 s apart at most. docs/decisions/0030 has the measurements.
 */
const HOLD_S = 10;
const HOLD_M = 30;

const holdS = (seconds: number) => z._default(z.number().check(z.gte(0), z.lte(3600)), seconds);
const holdM = (metres: number) => z._default(z.number().check(z.gte(0), z.lte(10_000)), metres);

const subject = {
  /** A rule without one is new. */
  id: z.optional(z.uuid()),
  layers: z.array(z.enum(LAYERS)).check(z.minLength(1)),
  /** null: every label, known or not. */
  confidence: z._default(z.nullable(z.array(z.enum(CONFIDENCE_LABELS)).check(z.minLength(1))), null),
  /** A position without a count fails a minimum above 1. */
  min_receivers: z._default(z.int().check(z.gte(1), z.lte(100)), 1),
  simulated: z._default(z.boolean(), false),
  test: z._default(z.boolean(), false),
  /** Ids of destinations. */
  notify: z._default(z.array(z.uuid()).check(z.maxLength(5)), []),
  /** Unless an operator acknowledged or closed the alarm by then. */
  escalate: z._default(
    z.nullable(z.strictObject({ destination: z.uuid(), after_s: z.int().check(z.gte(60), z.lte(86_400)) })),
    null,
  ),
};

/** @param inside defaults of the hold inside, @param outside of that outside */
function conditions(inside: 'held' | 'prompt', outside: 'held' | 'prompt' = 'held') {
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

/** Holds the edge of a zone. */
const held = conditions('held');
/** Opens at once: its event is itself a time, a moment or a warning. */
const prompt = conditions('prompt');

const seconds = z.number().check(z.gte(1), z.lte(86_400));

const kinds = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('entered'), ...held }),
  z.strictObject({ kind: z.literal('left'), ...held }),
  z.strictObject({ kind: z.literal('inside_longer'), ...prompt, longer_s: seconds }),
  z.strictObject({
    kind: z.literal('speed'),
    ...held,
    beyond: z.enum(['above', 'below']),
    speed_mps: z.number().check(z.gte(0), z.lte(2000)),
  }),
  z.strictObject({
    kind: z.literal('height'),
    ...held,
    beyond: z.enum(['above', 'below']),
    field: z.enum(['height_agl_m', 'altitude_m']),
    height_m: z.number().check(z.gte(-1000), z.lte(100_000)),
  }),
  /** In two positions: one may be garbled. */
  z.strictObject({ kind: z.literal('emergency'), ...prompt }),
  /** One of both is in the zone. `vertical_m` null: any. */
  z.strictObject({
    kind: z.literal('closer'),
    ...prompt,
    horizontal_m: z.number().check(z.gte(1), z.lte(50_000)),
    vertical_m: z.nullable(z.number().check(z.gte(0), z.lte(20_000))),
    field: z.enum(['height_agl_m', 'altitude_m']),
  }),
  z.strictObject({
    kind: z.literal('about_to_enter'),
    ...prompt,
    within_s: z.number().check(z.gte(1), z.lte(600)),
  }),
  /** While watched. Says nothing about actual traffic. */
  z.strictObject({
    kind: z.literal('nothing_received'),
    ...conditions('prompt', 'prompt'),
    for_s: z.number().check(z.gte(60), z.lte(86_400)),
  }),
]);
const HOLD_PAIRS = [
  ['hold_s', 'hold_m'],
  ['hold_out_s', 'hold_out_m'],
] as const;

/** One of `hold_s` and `hold_m`, or of those outside, without the other asks for it alone. */
export const ruleSchema = z.pipe(z.transform(withZeros), kinds);

export type Rule = z.infer<typeof kinds>;
export type RuleKind = Rule['kind'];
export const RULE_KINDS: readonly RuleKind[] = kinds.def.options.flatMap(({ shape }) => shape.kind.def.values);

function withZeros(rule: unknown): unknown {
  if (typeof rule !== 'object' || rule === null) return rule;
  const zeros = HOLD_PAIRS.flatMap((pair) => (pair.some((name) => name in rule) ? pair.map((name) => [name, 0]) : []));
  return { ...Object.fromEntries(zeros), ...rule };
}
