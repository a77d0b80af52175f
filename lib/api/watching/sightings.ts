import * as z from 'zod/mini';
import { instantParameter, instantText } from '#lib/time/instant-schema.ts';
import { pastReasonSchema } from '../layer-reason.ts';
import { layerSchema } from '../layer-state.ts';
import { receptionSchema } from '../overview.ts';
import { writtenText } from '../short-name.ts';

const SIGHTING_TEXT_MAX_LENGTH = 2000;
/** A text of 2000 characters may take 12 bytes each, escaped. */
export const SIGHTING_BODY_MAX_BYTES = 32 * 1024;
/** Longer, a person no longer means one thing seen at one time. */
const AT_WITHIN_MAX_S = 900;
const BEARING_WITHIN_MAX_DEG = 45;
const CHECK_REQUESTS_MAX = 100;
/** An answer has so many of the best fits; `fits_count` counts all. */
export const FITS_MAX = 100;

const within = (max: number) => z.number().check(z.gte(0), z.lte(max));
const optionalOrNull = <Schema extends z.ZodMiniType>(schema: Schema) => z._default(z.nullable(schema), null);

export const sightingSchema = z.strictObject({
  /** RFC 3339 with a timezone: when it was seen. */
  at: instantParameter('at'),
  /** ±, at most 900. */
  at_within_s: within(AT_WITHIN_MAX_S),
  /** Where the person stood: longitude and latitude. */
  place: z.tuple([z.number().check(z.gte(-180), z.lte(180)), z.number().check(z.gte(-90), z.lte(90))]),
  /** Clockwise from true north. */
  bearing_deg: z.number().check(z.gte(0), z.lte(360)),
  /** ±, at most 45. */
  bearing_within_deg: within(BEARING_WITHIN_MAX_DEG),
  /** Above the horizon. */
  elevation_deg: optionalOrNull(z.number().check(z.gte(-90), z.lte(90))),
  /** ±; required with an elevation. */
  elevation_within_deg: optionalOrNull(within(90)),
  distance_m: optionalOrNull(z.number().check(z.gt(0), z.lte(100_000))),
  /** ±; required with a distance. */
  distance_within_m: optionalOrNull(within(100_000)),
  /** The words of the person. */
  text: z._default(writtenText(SIGHTING_TEXT_MAX_LENGTH), ''),
  /** Limit of upstream requests, at most 100; default: 20. 0: only cached data. */
  max_requests: z._default(z.int().check(z.gte(0), z.lte(CHECK_REQUESTS_MAX)), 20),
});
export type SightingBody = z.infer<typeof sightingSchema>;
/** As it is sent. */
export type SightingInput = z.input<typeof sightingSchema>;

const sightSchema = z.object({
  track: z.string(),
  layer: layerSchema,
  /** When it was nearest to the line of sight. */
  at: instantText,
  bearing_deg: z.number(),
  /** From the reported bearing. */
  off_deg: z.number(),
  distance_m: z.number(),
  /** As possible only: over level ground, by a height whose datum is not stated. null without a height. */
  elevation_deg: z.nullable(z.number()),
  simulated: z.boolean(),
  test: z.boolean(),
});
export type SightAnswer = z.infer<typeof sightSchema>;

const bodySchema = z.object({
  body: z.string(),
  azimuth_deg: z.number(),
  altitude_deg: z.number(),
  /** From the reported bearing, by azimuth. */
  off_deg: z.number(),
});
export type SkyBody = z.infer<typeof bodySchema>;

export const sightingCheckSchema = z.object({
  /** The best 100, the best first. */
  fits: z.array(sightSchema),
  fits_count: z.int(),
  /** Of the tracks that do not fit, that with the least misfit. null: none was received near. */
  nearest_miss: z.nullable(sightSchema),
  /** The Sun, the Moon, bright planets and stars above the horizon in that direction. No satellites. */
  sky: z.array(bodySchema),
  /** Stretches of its times in which a part of the direction was not watched, or not read. */
  not_watched: z.array(z.object({ from: instantText, to: instantText, layer: layerSchema, reason: pastReasonSchema })),
  /** Of the direction, up to that distance. Absent in checks of earlier versions. */
  reception: z.optional(receptionSchema),
  /** How far away tracks were looked for. */
  range_m: z.number(),
  /** How many requests were sent upstream. */
  requests: z.int(),
});
export type SightingCheck = z.infer<typeof sightingCheckSchema>;
