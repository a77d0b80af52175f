import { z } from 'zod';
import { liveReasonSchema } from './layer-reason.ts';
import { layerStateSchema } from './layer-state.ts';
import type { LiveRecord } from './live-record.ts';

const boxSchema = z.tuple([z.number(), z.number(), z.number(), z.number()]);

const gapSchema = z.object({ bbox: boxSchema, reason: liveReasonSchema });

/** What is said of a layer beside its records. */
export const layerAnswerSchema = z.object({
  state: layerStateSchema,
  /** When the oldest part of the records was read, on the upstream's clock. */
  fetched_at: z.string().nullable(),
  /** True where the records are known not to be everything the service had. */
  partial: z.boolean(),
  /** Which parts of `covered` that is true for, and why. */
  gaps: z.array(gapSchema),
  reason: liveReasonSchema.nullable(),
  /** Since when the layer has failed without a success in between. */
  failing_since: z.string().nullable(),
  /** Until when the layer is held or latched, where that is known. */
  until: z.string().nullable(),
  /** Records of the latest refresh that broke the contract and were left out. */
  unreadable: z.int().nonnegative(),
});

export type LayerAnswer = z.infer<typeof layerAnswerSchema>;
export type LiveLayer = LayerAnswer & { readonly records: readonly LiveRecord[] };

/** What is said of the view beside its layers. */
export const viewAnswerSchema = z.object({
  /** The moment of the answer on the upstream's clock: ages are measured against it. */
  as_of: z.string(),
  next_poll_ms: z.int().positive(),
  /** The viewport as asked; west > east crosses 180°. */
  asked: boxSchema,
  /** What is watched of it: one or two boxes, none across 180°, none over 30° a side. */
  covered: z.array(boxSchema),
  /** True where the viewport was wider or higher than what is watched. */
  capped: z.boolean(),
});

export type ViewAnswer = z.infer<typeof viewAnswerSchema>;

/** The JSON form of `GET /api/live`, for scripts: the records of each layer. A layer that was not asked for is absent. */
export interface LiveAnswer extends ViewAnswer {
  readonly layers: { readonly rid?: LiveLayer; readonly adsb?: LiveLayer };
}
