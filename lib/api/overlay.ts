import * as z from 'zod/mini';
import { shortName } from './short-name.ts';

/** How many overlays an operator may have. */
export const OVERLAYS_MAX = 20;
export const OVERLAY_FEATURES_MAX = 2000;
/** Counts Unicode characters. */
export const FEATURE_NAME_MAX_LENGTH = 120;
/** Base64 characters; a request has 64 KiB. */
export const OVERLAY_PACKED_MAX_LENGTH = 60_000;
/** The limit holds before compression. */
export const OVERLAY_JSON_MAX_BYTES = 1_000_000;

const position = z.tuple([z.number().check(z.gte(-180), z.lte(180)), z.number().check(z.gte(-90), z.lte(90))]);
const line = z.array(position).check(z.minLength(2));
const ring = z.array(position).check(z.minLength(4));

const geometry = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('Point'), coordinates: position }),
  z.strictObject({ type: z.literal('MultiPoint'), coordinates: z.array(position).check(z.minLength(1)) }),
  z.strictObject({ type: z.literal('LineString'), coordinates: line }),
  z.strictObject({ type: z.literal('MultiLineString'), coordinates: z.array(line).check(z.minLength(1)) }),
  z.strictObject({ type: z.literal('Polygon'), coordinates: z.array(ring).check(z.minLength(1)) }),
  z.strictObject({
    type: z.literal('MultiPolygon'),
    coordinates: z.array(z.array(ring).check(z.minLength(1))).check(z.minLength(1)),
  }),
]);
export type OverlayGeometry = z.infer<typeof geometry>;

const colour = z.string().check(z.regex(/^#[0-9a-f]{6}$/));
const opacity = z.number().check(z.gte(0), z.lte(1));

/** simplestyle 1.1.0; the rest of a file is dropped. */
const properties = z.strictObject({
  name: z.optional(z.string().check(z.maxLength(2 * FEATURE_NAME_MAX_LENGTH))),
  stroke: z.optional(colour),
  'stroke-width': z.optional(z.number().check(z.gte(0), z.lte(20))),
  'stroke-opacity': z.optional(opacity),
  fill: z.optional(colour),
  'fill-opacity': z.optional(opacity),
  'marker-color': z.optional(colour),
});
export type OverlayProperties = z.infer<typeof properties>;

/** The content is two-dimensional GeoJSON. */
export const overlayContentSchema = z.strictObject({
  type: z.literal('FeatureCollection'),
  features: z
    .array(z.strictObject({ type: z.literal('Feature'), properties, geometry }))
    .check(z.minLength(1), z.maxLength(OVERLAY_FEATURES_MAX)),
});
export type OverlayContent = z.infer<typeof overlayContentSchema>;

/** `POST /api/overlays` */
export const newOverlaySchema = z.strictObject({
  /** 1 to 80 characters, unique for its operator. */
  name: shortName,
  /** Every operator sees the overlay; default: false. */
  shared: z._default(z.boolean(), false),
  /** A GeoJSON `FeatureCollection`, compressed by raw deflate, in Base64. */
  packed: z
    .string()
    .check(
      z.maxLength(OVERLAY_PACKED_MAX_LENGTH, { error: 'is too large' }),
      z.regex(/^[A-Za-z0-9+/]+={0,2}$/, { error: 'must be Base64' }),
    ),
});
export type NewOverlay = z.infer<typeof newOverlaySchema>;

export const overlaySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  shared: z.boolean(),
  /** The overlay belongs to this operator. */
  mine: z.boolean(),
  /** Name of its operator; null where no sign-in is needed. */
  owner: z.nullable(z.string()),
});
export type Overlay = z.infer<typeof overlaySchema>;

/** `GET /api/overlays`: own ones first. */
export const overlaysSchema = z.object({ overlays: z.array(overlaySchema) });
export type OverlaysAnswer = z.infer<typeof overlaysSchema>;
