import * as z from 'zod/mini';
import { LAYERS } from '#lib/contract/operation.ts';
import { CONFIDENCE_LABELS } from '#lib/model/confidence.ts';

const holdS = z._default(z.number().check(z.gte(0), z.lte(3600)), 0);
const holdM = z._default(z.number().check(z.gte(0), z.lte(10_000)), 0);

const conditions = {
  /** A rule without one is new. */
  id: z.optional(z.uuid()),
  layers: z.array(z.enum(LAYERS)).check(z.minLength(1)),
  /** null: every label, known or not. */
  confidence: z._default(z.nullable(z.array(z.enum(CONFIDENCE_LABELS)).check(z.minLength(1))), null),
  /** A position without a count fails a minimum above 1. */
  min_receivers: z._default(z.int().check(z.gte(1), z.lte(100)), 1),
  simulated: z._default(z.boolean(), false),
  test: z._default(z.boolean(), false),
  /** In seconds of observed time and metres inside the edge. */
  hold_s: holdS,
  hold_m: holdM,
  /** The same outside. */
  hold_out_s: holdS,
  hold_out_m: holdM,
  /** Ids of destinations. */
  notify: z._default(z.array(z.uuid()).check(z.maxLength(5)), []),
  /** Unless an operator acknowledged or closed the alarm by then. */
  escalate: z._default(
    z.nullable(z.strictObject({ destination: z.uuid(), after_s: z.int().check(z.gte(60), z.lte(86_400)) })),
    null,
  ),
};

const seconds = z.number().check(z.gte(1), z.lte(86_400));

export const ruleSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('entered'), ...conditions }),
  z.strictObject({ kind: z.literal('left'), ...conditions }),
  z.strictObject({ kind: z.literal('inside_longer'), ...conditions, longer_s: seconds }),
  z.strictObject({
    kind: z.literal('speed'),
    ...conditions,
    beyond: z.enum(['above', 'below']),
    speed_mps: z.number().check(z.gte(0), z.lte(2000)),
  }),
  z.strictObject({
    kind: z.literal('height'),
    ...conditions,
    beyond: z.enum(['above', 'below']),
    field: z.enum(['height_agl_m', 'altitude_m']),
    height_m: z.number().check(z.gte(-1000), z.lte(100_000)),
  }),
  /** In two positions: one may be garbled. */
  z.strictObject({ kind: z.literal('emergency'), ...conditions }),
  /** One of both is in the zone. `vertical_m` null: any. */
  z.strictObject({
    kind: z.literal('closer'),
    ...conditions,
    horizontal_m: z.number().check(z.gte(1), z.lte(50_000)),
    vertical_m: z.nullable(z.number().check(z.gte(0), z.lte(20_000))),
    field: z.enum(['height_agl_m', 'altitude_m']),
  }),
  z.strictObject({
    kind: z.literal('about_to_enter'),
    ...conditions,
    within_s: z.number().check(z.gte(1), z.lte(600)),
  }),
  /** While watched. Says nothing about actual traffic. */
  z.strictObject({
    kind: z.literal('nothing_received'),
    ...conditions,
    for_s: z.number().check(z.gte(60), z.lte(86_400)),
  }),
]);
export type Rule = z.infer<typeof ruleSchema>;
export type RuleKind = Rule['kind'];
export const RULE_KINDS: readonly RuleKind[] = ruleSchema.def.options.flatMap(({ shape }) => shape.kind.def.values);
