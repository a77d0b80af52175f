import * as z from 'zod/mini';
import { cornersSchema } from '../geo/corners.ts';
import { instantText } from '../time/instant-schema.ts';
import { layerSchema } from './layer-state.ts';

/** The value of Accept and Content-Type. */
export const COMPACT_TRAILS_TYPE = 'application/vnd.lookout.trails';

/** The answer of a layer without its positions. */
const trailsLayerHeadSchema = z.object({
  /** From this time on, the trails are complete; null while a part of `covered` is not refreshed, or has no receiver. */
  since: z.nullable(instantText),
  /** Why `since` is later than the first read: the server's memory is full, or the answer would be too large. */
  shortened: z.nullable(z.enum(['memory', 'size'])),
  /** How many tracks the layer has. */
  tracks: z.int().check(z.nonnegative()),
  /** How many positions the layer has. */
  positions: z.int().check(z.nonnegative()),
});

export type TrailsLayerHead = z.infer<typeof trailsLayerHeadSchema>;

/** The answer of a view without its layers. */
const trailsViewSchema = z.object({
  /** Time of the answer on the upstream's clock. */
  as_of: instantText,
  /** How long the server keeps positions. */
  kept_ms: z.int().check(z.positive()),
  /** The same as in `GET /api/live`. */
  requested: cornersSchema,
  /** The same as in `GET /api/live`. */
  covered: z.array(cornersSchema),
  /** The same as in `GET /api/live`. */
  capped: z.boolean(),
});

export type TrailsView = z.infer<typeof trailsViewSchema>;

/**
 * Bodies follow in the order rid, adsb, each of `bytes` bytes, raw deflate (RFC 1951): trails of lib/codec/trails.ts.
 */
export const trailsHeadSchema = z.extend(trailsViewSchema, {
  layers: z.partialRecord(layerSchema, z.extend(trailsLayerHeadSchema, { bytes: z.int().check(z.nonnegative()) })),
});

export type TrailsHead = z.infer<typeof trailsHeadSchema>;

const placeSchema = z.object({
  observed_at: instantText,
  longitude: z.number(),
  latitude: z.number(),
  /** Only aircraft have it. */
  altitude_m: z.optional(z.nullable(z.number())),
  /** Only drones have it. */
  height_agl_m: z.optional(z.nullable(z.number())),
});

const trackTrailSchema = z.object({
  public_track_id: z.string(),
  /** The positions are in order of time. */
  positions: z.array(placeSchema),
});

/** For scripts. A layer that was not requested is absent. */
export const trailsAnswerSchema = z.extend(trailsViewSchema, {
  layers: z.partialRecord(layerSchema, z.extend(trailsLayerHeadSchema, { trails: z.array(trackTrailSchema) })),
});

export type TrailsAnswer = z.infer<typeof trailsAnswerSchema>;
