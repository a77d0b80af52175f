import * as z from 'zod/mini';
import { HEIGHT_FIELDS, HEIGHT_LIMITS_M } from './height-field.ts';
import { inLimits, RULE_LIMITS, ruleSchema } from './rule.ts';
import { ZONE_CORNERS_MAX, ZONE_LIMITS } from './zone-limits.ts';

/** A zone as an operator writes it, in one schema for the API and the database. */

/** WGS84 [longitude, latitude] in degrees. */
const lonLat = z.tuple([z.number().check(z.gte(-180), z.lte(180)), z.number().check(z.gte(-90), z.lte(90))]);

const ring = z.array(lonLat).check(z.minLength(4), z.maxLength(ZONE_CORNERS_MAX + 1));

/**
 * Edges are straight in longitude and latitude, by the shorter way around the Earth. `shape-problem.ts` refuses
 * crossings and poles.
 */
export const shapeSchema = z.discriminatedUnion('type', [
  /** GeoJSON: the edge, then holes; the last corner repeats the first. */
  z.strictObject({ type: z.literal('Polygon'), coordinates: z.array(ring).check(z.minLength(1)) }),
  z.strictObject({
    type: z.literal('Circle'),
    centre: lonLat,
    radius_m: z.number().check(...inLimits(ZONE_LIMITS.radius_m)),
  }),
  z.strictObject({
    type: z.literal('Corridor'),
    line: z.array(lonLat).check(z.minLength(2), z.maxLength(ZONE_CORNERS_MAX)),
    half_width_m: z.number().check(...inLimits(ZONE_LIMITS.half_width_m)),
  }),
]);
export type ZoneShape = z.infer<typeof shapeSchema>;

/** A position without the height counts, is excluded, or is flagged. */
export const UNKNOWN_HEIGHTS = ['counts', 'excluded', 'flagged'] as const;

/** null: every height. A null limit is not stated. */
export const verticalSchema = z.nullable(
  z
    .strictObject({
      field: z.enum(HEIGHT_FIELDS),
      floor_m: z.nullable(z.number().check(...inLimits(HEIGHT_LIMITS_M))),
      ceiling_m: z.nullable(z.number().check(...inLimits(HEIGHT_LIMITS_M))),
      unknown: z.enum(UNKNOWN_HEIGHTS),
    })
    .check(
      z.refine(({ floor_m, ceiling_m }) => floor_m === null || ceiling_m === null || floor_m <= ceiling_m, {
        error: 'has a floor above its ceiling',
      }),
    ),
);
export type Vertical = z.infer<typeof verticalSchema>;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const timeOfDay = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time such as 22:00' }));
const localTime = z
  .string()
  .check(z.regex(/^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time such as 2026-11-27T22:00' }));

/** IANA name. `zone-hours.ts` refuses unknown ones. */
const timeZone = z.string().check(z.minLength(1), z.maxLength(64));

/** null: always. A weekly window with `to` not after `from` ends the next day. */
export const hoursSchema = z.nullable(
  z.union([
    z.strictObject({
      time_zone: timeZone,
      weekly: z
        .array(
          z.strictObject({
            days: z.array(z.enum(WEEKDAYS)).check(z.minLength(1)),
            from: timeOfDay,
            to: timeOfDay,
          }),
        )
        .check(z.minLength(1), z.maxLength(ZONE_LIMITS.weekly_hours)),
    }),
    z.strictObject({ time_zone: timeZone, from: localTime, to: localTime }),
  ]),
);
export type Hours = z.infer<typeof hoursSchema>;

export interface ZoneFile {
  /** The text that operators read. */
  readonly title: string;
  /** Lookout writes files with the first one. */
  readonly extensions: readonly [string, ...string[]];
  /** The media type of the files that Lookout writes. Default: it only reads the format. */
  readonly type?: string;
}

/** The formats of files of zones. Their readers and writers are in `formats/`, so that pages load them on demand. */
export const ZONE_FORMATS = {
  geojson: {
    title: 'GeoJSON',
    extensions: ['.geojson', '.geojsonl', '.ndjson', '.json'],
    type: 'application/geo+json',
  },
  kml: { title: 'KML', extensions: ['.kml', '.xml'], type: 'application/vnd.google-earth.kml+xml' },
  'ed-269': { title: 'ED-269', extensions: ['.json'] },
  'ed-318': { title: 'ED-318', extensions: ['.json'] },
  openair: { title: 'OpenAir', extensions: ['.txt', '.openair', '.air'] },
} as const satisfies Readonly<Record<string, ZoneFile>>;
export type ZoneFormatName = keyof typeof ZONE_FORMATS;

/** The file that a zone was imported from, with its words as they are in the file. */
export function sourceSchemaOf<Name extends string>(formats: Readonly<Record<Name, ZoneFile>>) {
  return z.nullable(
    z.strictObject({
      format: z.enum(Object.keys(formats) as Name[]),
      file: z.string().check(z.maxLength(200)),
      imported_at: z.string(),
      words: z.record(z.string(), z.string()),
    }),
  );
}
export const sourceSchema = sourceSchemaOf(ZONE_FORMATS);
export type ZoneSource = z.infer<typeof sourceSchema>;

/** The place of a zone that operators name, such as a runway by its two ends. Alarms state distance and direction from it. */
const landmarkSchema = z.nullable(
  z.strictObject({
    name: z.string().check(z.minLength(1), z.maxLength(ZONE_LIMITS.landmark_name_characters)),
    /** A point, or the two ends of a line. */
    line: z.array(lonLat).check(z.minLength(1), z.maxLength(2)),
  }),
);
export type Landmark = z.infer<typeof landmarkSchema>;

export const zoneContentSchema = z.strictObject({
  shape: shapeSchema,
  landmark: z._default(landmarkSchema, null),
  vertical: verticalSchema,
  hours: hoursSchema,
  rules: z.array(ruleSchema).check(z.maxLength(RULE_LIMITS.rules)),
  source: z._default(sourceSchema, null),
  history_requests_a_day: z._default(z.int().check(...inLimits(ZONE_LIMITS.history_requests_a_day)), 0),
});
export type ZoneContent = z.infer<typeof zoneContentSchema>;
