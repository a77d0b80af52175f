import { z } from 'zod';
import { FILTER_PARAMETERS, parseFilter } from '../filter/filter-parameters.ts';
import { type Bbox, bboxContains, formatBbox } from '../geo/bbox.ts';
import { bboxParameter } from '../geo/bbox-parameter.ts';
import type { LonLat } from '../geo/great-circle.ts';
import { parseBbox } from '../geo/parse-bbox.ts';
import { parseDecimal } from '../geo/parse-decimal.ts';
import { LAYERS, type Layer } from '../model/position.ts';
import { SELECTED_MAX } from '../model/selection.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '../time/instant.ts';
import { instantParameter } from '../time/instant-schema.ts';
import { SECOND_MS } from '../time/time-units.ts';
import { POLL_WAIT_MAX_MS, parseSince, type Since } from './compact-answer.ts';
import { EXPORT_FORMATS } from './export-format.ts';

/** A box of any size, with west > east across 180°. */
const viewParameter = bboxParameter.transform((bbox, context) => {
  // To the decimals that are sent upstream, where the same limit applies.
  const rounded = parseBbox(formatBbox(bbox));
  if (rounded.ok) return rounded.bbox;
  context.addIssue({ code: 'custom', message: rounded.message });
  return z.NEVER;
});

/**
 * May differ from the middle of `bbox`: a degree of latitude is longer on the map near the poles, and a box of all
 * longitudes has no middle.
 */
const centreParameter = z
  .string()
  .transform((text, context): LonLat => {
    const [lon, lat, ...rest] = text.split(',').map(parseDecimal);
    if (lon !== undefined && lat !== undefined && rest.length === 0) return { lon, lat };
    context.addIssue({ code: 'custom', message: 'centre must be two plain decimal numbers: longitude,latitude' });
    return z.NEVER;
  })
  .optional();

/** The arguments of `refine`. */
const centreLiesInBbox = [
  ({ bbox, centre }: { readonly bbox: Bbox; readonly centre?: LonLat | undefined }) =>
    centre === undefined || bboxContains(bbox, centre.lon, centre.lat),
  { error: 'centre must lie in bbox' },
] as const;

/** One or both layers; default: both. */
const layersParameter = z
  .string()
  .transform((text, context): readonly Layer[] => {
    const names = text.split(',');
    const known = LAYERS.filter((layer) => names.includes(layer));
    if (known.length === names.length) return known;
    context.addIssue({ code: 'custom', message: 'layers must be rid, adsb or rid,adsb' });
    return z.NEVER;
  })
  .default(LAYERS);

const nameParameter = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,40}$/, { error: 'must be at most 40 letters, digits and hyphens' });

/** Rounds down to whole seconds. */
const fromParameter = z.pipe(
  instantParameter('from'),
  z.transform((at: UpstreamInstant) => upstreamInstant(Math.floor(epochMs(at) / SECOND_MS) * SECOND_MS)),
);

/** `POST /api/history/seek` */
export const seekBodySchema = z.strictObject({
  /** Name of a running or queued load of this operator. */
  load: nameParameter,
  /** The time to load next. */
  from: fromParameter,
});

const WAIT_PROBLEM = `wait must be a whole number of milliseconds, at most ${POLL_WAIT_MAX_MS}`;

/** `GET /api/live` */
export const liveQuerySchema = z
  .strictObject({
    /** `W,S,E,N` in degrees; W > E crosses 180°. */
    bbox: viewParameter,
    /** `LON,LAT`: middle of the view; default: the middle of `bbox`. */
    centre: centreParameter,
    /** `rid`, `adsb` or `rid,adsb`; default: both. */
    layers: layersParameter,
    /** Identifies one page of a session, so that a page that pans is not counted twice. */
    page: nameParameter.optional(),
    /** `W,S,E,N`: a second area to cover; compact form only. */
    home: viewParameter.optional(),
    /** Frames that the client already has; compact form only. */
    since: z
      .string()
      .transform((text, context): Since => {
        const since = parseSince(text);
        if (since) return since;
        context.addIssue({ code: 'custom', message: 'since must be AREA:SEQUENCE,… as an answer before named them' });
        return z.NEVER;
      })
      .optional(),
    /** Milliseconds to wait for newer frames, at most 2000; compact form only. */
    wait: z
      .string()
      .regex(/^\d{1,4}$/, { error: WAIT_PROBLEM })
      .transform(Number)
      .refine((ms) => ms <= POLL_WAIT_MAX_MS, { error: WAIT_PROBLEM })
      .optional(),
  })
  .refine(...centreLiesInBbox);

/** How many tracks one query may name. */
const TRACKS_MAX = SELECTED_MAX;

/** `GET /api/trails` */
export const trailsQuerySchema = z
  .strictObject({
    /** `W,S,E,N` in degrees; W > E crosses 180°. */
    bbox: viewParameter,
    /** `LON,LAT`: middle of the view; default: the middle of `bbox`. */
    centre: centreParameter,
    /** `rid`, `adsb` or `rid,adsb`; default: both. */
    layers: layersParameter,
    /** Up to 20 references; default: all tracks. */
    tracks: z
      .string()
      .transform((text, context): ReadonlySet<string> => {
        const references = text.split(',');
        const isPlain = references.every((reference) => reference !== '' && reference.length <= 64);
        if (isPlain && references.length <= TRACKS_MAX) return new Set(references);
        context.addIssue({ code: 'custom', message: `tracks must be one to ${TRACKS_MAX} track references` });
        return z.NEVER;
      })
      .optional(),
  })
  .refine(...centreLiesInBbox);

export const exportedViewSchema = z
  .strictObject({
    /** `W,S,E,N` in degrees; W > E crosses 180°. */
    bbox: viewParameter,
    /** `LON,LAT`: middle of the view; default: the middle of `bbox`. */
    centre: centreParameter,
    /** `rid`, `adsb` or `rid,adsb`; default: both. */
    layers: layersParameter,
    /** `kept`: adds the trails that the server has of the exported tracks. */
    trails: z.enum(['kept'], { error: 'must be kept' }).optional(),
  })
  .refine(...centreLiesInBbox);

/** `GET /api/history` and `GET /api/history/cost`. The server checks the limits of window and area. */
export const historyQuerySchema = z
  .strictObject({
    /** `W,S,E,N` in degrees; W > E crosses 180°. */
    bbox: viewParameter,
    /** `LON,LAT`: middle of the view; default: the middle of `bbox`. */
    centre: centreParameter,
    /** `rid`, `adsb` or `rid,adsb`; default: both. */
    layers: layersParameter,
    /** Start of the window, RFC 3339 with a timezone; inclusive. */
    start: instantParameter('start'),
    /** End of the window; exclusive. */
    end: instantParameter('end'),
    /** How to load an area over 5° wide or high: `middle` or `tiles`; default: the area is rejected. */
    wide: z.enum(['middle', 'tiles'], { error: 'must be middle or tiles' }).optional(),
    /** Limit of requests to the upstream, at most 500 an hour of the window. */
    max_requests: z
      .string()
      .regex(/^\d{1,5}$/, { error: 'must be a whole number' })
      .transform(Number)
      .optional(),
    /** The time from which the load works outwards; default: `start`. */
    from: fromParameter.optional(),
    /** Name of the load for `POST /api/history/seek`. */
    load: nameParameter.optional(),
  })
  .refine(...centreLiesInBbox)
  .refine(({ start, end }) => start < end, { error: 'end must be after start' })
  .transform(({ start, end, max_requests, ...rest }) => ({
    ...rest,
    window: { start, end },
    maxRequests: max_requests,
  }));

export type HistoryQuery = z.infer<typeof historyQuerySchema>;

/**
 * `GET /api/export`: the query of `GET /api/live` or, with `start` and `end`, of `GET /api/history`, and a filter.
 * `inside=view` means the box.
 */
export const exportQuerySchema = z
  .looseObject({ format: z.enum(EXPORT_FORMATS, { error: `must be ${EXPORT_FORMATS.join(', ')}` }) })
  .transform(({ format, ...others }, context) => {
    const filterTexts = new Map<string, string>();
    const rest: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(others)) {
      if (FILTER_PARAMETERS.includes(name)) filterTexts.set(name, String(value));
      else rest[name] = value;
    }
    const { filter, problems } = parseFilter((name) => [filterTexts.get(name) ?? []].flat());
    const wrong = problems.map(({ name, expected }) => `${name} must be ${expected}`);
    const isPast = 'start' in rest || 'end' in rest;
    if (isPast && filter.ageS) wrong.push('age filters live positions only: leave it out for a past window');
    const past = isPast ? historyQuerySchema.safeParse(rest) : undefined;
    const live = isPast ? undefined : exportedViewSchema.safeParse(rest);
    for (const { path, message } of (past ?? live)?.error?.issues ?? [])
      wrong.push(path.length === 0 ? message : `${path.join('.')}: ${message}`);
    for (const message of wrong) context.addIssue({ code: 'custom', message });
    return { format, filter, past: past?.data, live: live?.data };
  });

export type ExportQuery = z.infer<typeof exportQuerySchema>;

/** `GET /api/maps` */
export const mapQuerySchema = z.strictObject({
  /** Name of a configured map. */
  name: z.string(),
});
