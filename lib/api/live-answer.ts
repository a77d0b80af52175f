import { z } from 'zod';
import { cornersSchema } from '../geo/corners.ts';
import type { Layer } from '../model/position.ts';
import { instantText } from '../time/instant-schema.ts';
import { liveReasonSchema } from './layer-reason.ts';
import { layerStateSchema } from './layer-state.ts';
import type { LiveRecord } from './live-record.ts';

const gapSchema = z.object({ bbox: cornersSchema, reason: liveReasonSchema });

/** What is said of a layer beside its records. */
export const layerAnswerSchema = z.object({
  state: layerStateSchema,
  /** When the oldest part of the records was read, on the upstream's clock. */
  fetched_at: instantText.nullable(),
  /** True where the records are known not to be everything the service had. */
  partial: z.boolean(),
  /** Which parts of `covered` that is true for, and why. */
  gaps: z.array(gapSchema),
  reason: liveReasonSchema.nullable(),
  /** Since when the layer has failed without a success in between. */
  failing_since: instantText.nullable(),
  /** Until when the layer is held or latched, where that is known. */
  until: instantText.nullable(),
  /** Records of the latest refresh that broke the contract and were left out. */
  unreadable: z.int().nonnegative(),
});

export type LayerAnswer = z.infer<typeof layerAnswerSchema>;
export type LiveLayer = LayerAnswer & { readonly records: readonly LiveRecord[] };

/** What is said of the view beside its layers. */
export const viewAnswerSchema = z.object({
  /** The moment of the answer on the upstream's clock: ages are measured against it. */
  as_of: instantText,
  next_poll_ms: z.int().positive(),
  /** The viewport as asked; west > east crosses 180°. */
  asked: cornersSchema,
  /** What is watched of it: one or two boxes, none across 180°, none over LIVE_MAX_SPAN_DEG a side. */
  covered: z.array(cornersSchema),
  /** True where the viewport was wider or higher than what is watched. */
  capped: z.boolean(),
});

export type ViewAnswer = z.infer<typeof viewAnswerSchema>;

/** The JSON form of `GET /api/live`, for scripts: the records of each layer. A layer that was not asked for is absent. */
export interface LiveAnswer extends ViewAnswer {
  readonly layers: Readonly<Partial<Record<Layer, LiveLayer>>>;
}
