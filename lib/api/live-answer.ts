import * as z from 'zod/mini';
import { wirePositionSchema } from '../contract/wire-position.ts';
import { cornersSchema } from '../geo/corners.ts';
import type { Layer } from '../model/position.ts';
import { instantText } from '../time/instant-schema.ts';
import { liveReasonSchema } from './layer-reason.ts';
import { layerStateSchema, receptionAnswerSchema } from './layer-state.ts';

/** The contract's record, without additional properties. */
export const liveRecordSchema = z.object(wirePositionSchema(undefined).shape);

export type LiveRecord = z.infer<typeof liveRecordSchema>;

const gapSchema = z.object({ bbox: cornersSchema, reason: liveReasonSchema });

/** The answer of a layer without its records. */
export const layerAnswerSchema = z.object({
  /** See the table of states. */
  state: layerStateSchema,
  /** When the oldest part of the records was read, on the upstream's clock. */
  fetched_at: z.nullable(instantText),
  /** The answer may lack records: see `gaps`. */
  partial: z.boolean(),
  /** The incomplete parts of `covered`, and why. */
  gaps: z.array(gapSchema),
  /** Why the layer is not `fresh`, or is incomplete. */
  reason: z.nullable(liveReasonSchema),
  /** Time of the first failure since the last success, or when the last receiver fell silent. */
  failing_since: z.nullable(instantText),
  /** Until when the layer is paused or denied, if known. */
  until: z.nullable(instantText),
  /** Records of the latest refresh that violated the contract and were dropped. */
  unreadable: z.int().check(z.nonnegative()),
  /** Of the worst area of the view; null: the service does not report it, or does not answer. */
  reception: z.nullable(receptionAnswerSchema),
});

export type LiveLayerAnswer = z.infer<typeof layerAnswerSchema>;
export type LiveLayer = LiveLayerAnswer & { readonly records: readonly LiveRecord[] };

/** The answer of a view without its layers. */
export const viewAnswerSchema = z.object({
  /** Time of the answer on the upstream's clock; ages are measured against it. */
  as_of: instantText,
  /** Poll again after this time. */
  next_poll_ms: z.int().check(z.positive()),
  /** How long the answer waited for newer records. */
  held_ms: z.int().check(z.nonnegative()),
  /** The requested box; west > east crosses 180°. */
  requested: cornersSchema,
  /** The answered part of it: one box, or two if it crosses 180°. */
  covered: z.array(cornersSchema),
  /** The requested box was larger than the covered part. */
  capped: z.boolean(),
});

export type ViewAnswer = z.infer<typeof viewAnswerSchema>;

/** For scripts. A layer that was not requested is absent. */
export interface LiveAnswer extends ViewAnswer {
  readonly layers: Readonly<Partial<Record<Layer, LiveLayer>>>;
}
