// Answers that no page reads: for scripts, and in the forms of other programs.
import * as z from 'zod/mini';
import { cornersSchema } from '../../geo/corners.ts';
import { instantText } from '../../time/instant-schema.ts';
import { watchedStretchSchema } from '../../zones/alarm.ts';
import { liveReasonSchema, receptionReasonSchema } from '../layer-reason.ts';
import { layerSchema } from '../layer-state.ts';
import { layerAnswerSchema, liveRecordSchema, viewAnswerSchema } from '../live-answer.ts';
import { alarmSchema } from '../watching/alarms.ts';

export const liveAnswerSchema = z.extend(viewAnswerSchema, {
  /** A layer that was not requested is absent. */
  layers: z.partialRecord(layerSchema, z.extend(layerAnswerSchema, { records: z.array(liveRecordSchema) })),
});

/** An OpenAPI document. */
export const openApiSchema = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.looseObject({})),
});
export const runningSchema = z.object({
  /** Whether the operator has such a load. */
  running: z.boolean(),
});
export const importedZonesSchema = z.object({
  /** In the order of the lines. */
  ids: z.array(z.uuid()),
});
export const sealedSchema = z.object({
  /** Of `SHA256SUMS` in the file. */
  sha256: z.string(),
  bytes: z.int(),
});

export const geoJsonFileSchema = z.looseObject({
  type: z.literal('FeatureCollection'),
  features: z.array(
    z.looseObject({ type: z.literal('Feature'), geometry: z.nullable(z.looseObject({ type: z.string() })) }),
  ),
});

const readBox = { layer: layerSchema, bbox: cornersSchema, read_at: instantText };
const coverageNowSchema = z.object({
  /** The boxes that were read within a minute. */
  watched: z.array(
    z.object({
      ...readBox,
      /** null: all records of the box were read, and no receiver is known to be missing. */
      incomplete: z.nullable(liveReasonSchema),
    }),
  ),
  /** The boxes that were read too, but where no receiver delivers the layer. */
  not_watched: z.array(
    z.object({
      ...readBox,
      reason: receptionReasonSchema,
      /** The time from which nothing can be received; null: not known. */
      since: z.nullable(instantText),
    }),
  ),
});
export type CoverageNow = z.infer<typeof coverageNowSchema>;

/**
 * One entry of `aircraft.json` (readsb, README-json.md). A value that was not reported has no field. The fields from
 * `public_track_id` on are Lookout's.
 */
const aircraftSchema = z.object({
  /** `~` marks an address that ICAO has not assigned. */
  hex: z.string(),
  type: z.enum(['adsb_other', 'other']),
  /** `SIM …` or `TEST …`; no callsign is known. */
  flight: z.optional(z.string()),
  /** Barometric altitude in feet. */
  alt_baro: z.optional(z.int()),
  /** Feet. */
  alt_geom: z.optional(z.int()),
  /** Ground speed in knots. */
  gs: z.optional(z.number()),
  track: z.optional(z.number()),
  emergency: z.optional(z.string()),
  /** B6: an unmanned aircraft. */
  category: z.optional(z.literal('B6')),
  lat: z.number(),
  lon: z.number(),
  /** Seconds since the position was observed. */
  seen: z.number(),
  seen_pos: z.number(),
  public_track_id: z.string(),
  simulated: z.boolean(),
  test: z.boolean(),
  altitude_m: z.optional(z.number()),
  height_agl_m: z.optional(z.number()),
});
export type Aircraft = z.infer<typeof aircraftSchema>;

/** `aircraft.json` of readsb. */
export const aircraftAnswerSchema = z.object({
  /** Seconds since 1970. */
  now: z.number(),
  /** Lookout receives no Mode S: the positions since the start. */
  messages: z.int(),
  note: z.string(),
  ...coverageNowSchema.shape,
  aircraft: z.array(aircraftSchema),
});
/** `receiver.json` of readsb. */
export const receiverAnswerSchema = z.object({ version: z.string(), refresh: z.int(), history: z.int() });
export const feedFileSchema = z.union([aircraftAnswerSchema, receiverAnswerSchema]);

const linkSchema = z.object({ href: z.string(), rel: z.string(), type: z.string(), title: z.optional(z.string()) });
export type Link = z.infer<typeof linkSchema>;
const links = z.array(linkSchema);
export const landingPageSchema = z.object({ title: z.string(), description: z.string(), links });
export const collectionSchema = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  extent: z.object({ spatial: z.object({ bbox: z.array(cornersSchema) }) }),
  itemType: z.literal('feature'),
  crs: z.array(z.string()),
  links,
});
const place = z.array(z.number()).check(z.minLength(2), z.maxLength(3));
const geometry = z.nullable(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('Point'), coordinates: place }),
    z.object({ type: z.literal('MultiPolygon'), coordinates: z.array(z.array(z.array(place))) }),
  ]),
);
const positionProperties = z.extend(z.omit(liveRecordSchema, { longitude: true, latitude: true }), {
  stale_after: z.nullable(instantText),
});
const alarmProperties = z.extend(
  z.omit(alarmSchema, {
    id: true,
    revision: true,
    zone: true,
    rule: true,
    other: true,
    found_later: true,
    acknowledged: true,
    closed: true,
    notes: true,
    evidence: true,
  }),
  {
    zone: z.string(),
    zone_id: z.string(),
    zone_revision: z.int(),
    rule: z.string(),
    other_track: z.nullable(z.string()),
    found_later_s: z.nullable(z.number()),
    acknowledged_at: z.nullable(instantText),
    closed_at: z.nullable(instantText),
    closed_as: z.nullable(z.string()),
    observed_at: z.nullable(instantText),
    altitude_m: z.nullable(z.number()),
    height_agl_m: z.nullable(z.number()),
  },
);
const zoneProperties = z.object({
  name: z.string(),
  revision: z.int(),
  changed_at: instantText,
  shape: z.enum(['Polygon', 'Circle', 'Corridor']),
  radius_m: z.nullable(z.number()),
  half_width_m: z.nullable(z.number()),
  height_field: z.nullable(z.string()),
  floor_m: z.nullable(z.number()),
  ceiling_m: z.nullable(z.number()),
  unknown_height: z.nullable(z.string()),
  /** The zone has no hours. */
  always: z.boolean(),
  /** Kinds of rules, with commas between them. */
  rules: z.string(),
  watched: z.nullable(watchedStretchSchema.shape.state),
  watched_since: z.nullable(instantText),
  watched_reason: watchedStretchSchema.shape.reason,
});
const feature = z.object({
  type: z.literal('Feature'),
  id: z.string(),
  geometry,
  properties: z.union([zoneProperties, alarmProperties, positionProperties]),
});
export type Feature = z.infer<typeof feature>;
export const featureSchema = z.extend(feature, { links });
export const featuresPageSchema = z.object({
  type: z.literal('FeatureCollection'),
  timeStamp: instantText,
  /** Absent where counting takes more than a page. */
  numberMatched: z.optional(z.int()),
  numberReturned: z.int(),
  links,
  /** Of positions. */
  watched: z.optional(coverageNowSchema.shape.watched),
  /** Of positions. */
  not_watched: z.optional(coverageNowSchema.shape.not_watched),
  features: z.array(feature),
});
export const collectionsSchema = z.object({ links, collections: z.array(collectionSchema) });
export const conformanceSchema = z.object({ conformsTo: z.array(z.string()) });
