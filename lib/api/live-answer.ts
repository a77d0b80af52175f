import * as z from 'zod/mini';
import { cornersSchema } from '../geo/corners.ts';
import type { Layer } from '../model/position.ts';
import { instantText } from '../time/instant-schema.ts';
import { liveReasonSchema } from './layer-reason.ts';
import { layerStateSchema } from './layer-state.ts';
import type { LiveRecord } from './live-record.ts';

const gapSchema = z.object({ bbox: cornersSchema, reason: liveReasonSchema });

/** A layer in an answer, without its records. */
export const layerAnswerSchema = z.object({
  state: layerStateSchema,
  /** When the oldest part of the records was read, on the upstream's clock. */
  fetched_at: z.nullable(instantText),
  /** True if the service is known to have more records. */
  partial: z.boolean(),
  /** The incomplete parts of `covered`, and why. */
  gaps: z.array(gapSchema),
  reason: z.nullable(liveReasonSchema),
  /** Time of the first failure since the last success. */
  failing_since: z.nullable(instantText),
  /** Until when the layer is paused or denied, if known. */
  until: z.nullable(instantText),
  /** Number of records of the latest refresh that violated the contract and were dropped. */
  unreadable: z.int().check(z.nonnegative()),
});

export type LayerAnswer = z.infer<typeof layerAnswerSchema>;
export type LiveLayer = LayerAnswer & { readonly records: readonly LiveRecord[] };

/** The view in an answer, without its layers. */
export const viewAnswerSchema = z.object({
  /** Time of the answer on the upstream's clock; ages are measured against it. */
  as_of: instantText,
  next_poll_ms: z.int().check(z.positive()),
  /** How long the answer waited for something newer: this is no part of the network's delay. */
  held_ms: z.int().check(z.nonnegative()),
  /** The requested viewport; west > east crosses 180°. */
  requested: cornersSchema,
  /** The part of it that is answered: one or two boxes, none across 180°, none over LIVE_MAX_SPAN_DEG per side. */
  covered: z.array(cornersSchema),
  /** True if the viewport was wider or higher than the covered part. */
  capped: z.boolean(),
});

export type ViewAnswer = z.infer<typeof viewAnswerSchema>;

/** The JSON form of `GET /api/live`, for scripts: the records of each layer. A layer that was not requested is absent. */
export interface LiveAnswer extends ViewAnswer {
  readonly layers: Readonly<Partial<Record<Layer, LiveLayer>>>;
}
