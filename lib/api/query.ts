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

/** A viewport of any size, west > east across 180°. */
const viewParameter = bboxParameter.transform((bbox, context) => {
  // Rounded to the decimals that are sent upstream, so that a side within the limit here is also within it there.
  const rounded = parseBbox(formatBbox(bbox));
  if (rounded.ok) return rounded.bbox;
  context.addIssue({ code: 'custom', message: rounded.message });
  return z.NEVER;
});

/**
 * The point in the middle of the viewport. It may differ from the middle of `bbox`: degrees of latitude get longer on the map
 * towards the poles, and a box of all longitudes has no middle.
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

/** Arguments of `refine` for a query with both parameters. */
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

/** Windows are cut at whole seconds. */
const fromParameter = z.pipe(
  instantParameter('from'),
  z.transform((at: UpstreamInstant) => upstreamInstant(Math.floor(epochMs(at) / SECOND_MS) * SECOND_MS)),
);

/** The body of `POST /api/history/seek`. */
export const seekBodySchema = z.strictObject({ load: nameParameter, from: fromParameter });

const WAIT_PROBLEM = `wait must be a whole number of milliseconds, at most ${POLL_WAIT_MAX_MS}`;

/** The query of `GET /api/live`. Unknown parameters are rejected. */
export const liveQuerySchema = z
  .strictObject({
    bbox: viewParameter,
    centre: centreParameter,
    layers: layersParameter,
    /** Identifies one page of an operator, so that a page that pans is not counted twice. Without it, each view counts as a page. */
    page: nameParameter.optional(),
    /** An area that is covered as well, wherever the view is; only for the compact form. */
    home: viewParameter.optional(),
    /** The frames that the page has cached; only for the compact form. */
    since: z
      .string()
      .transform((text, context): Since => {
        const since = parseSince(text);
        if (since) return since;
        context.addIssue({ code: 'custom', message: 'since must be AREA:SEQUENCE,… as an answer before named them' });
        return z.NEVER;
      })
      .optional(),
    /** Milliseconds that the answer may wait for something newer than `since`; only for the compact form. */
    wait: z
      .string()
      .regex(/^\d{1,4}$/, { error: WAIT_PROBLEM })
      .transform(Number)
      .refine((ms) => ms <= POLL_WAIT_MAX_MS, { error: WAIT_PROBLEM })
      .optional(),
  })
  .refine(...centreLiesInBbox);

/** References that one query of `GET /api/trails` may name. */
const TRACKS_MAX = SELECTED_MAX;

/** The query of `GET /api/trails`. */
export const trailsQuerySchema = z
  .strictObject({
    bbox: viewParameter,
    centre: centreParameter,
    layers: layersParameter,
    /** Only these references; default: all. */
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

const exportedViewSchema = z
  .strictObject({
    bbox: viewParameter,
    centre: centreParameter,
    layers: layersParameter,
    /** With the trails of the exported tracks, as far as they are kept. */
    trails: z.enum(['kept'], { error: 'must be kept' }).optional(),
  })
  .refine(...centreLiesInBbox);

/**
 * The query of `GET /api/history` and `GET /api/history/cost`. `start` is inclusive, `end` exclusive. The limits on the
 * window's length and age and on the area are checked by the server.
 */
export const historyQuerySchema = z
  .strictObject({
    bbox: viewParameter,
    centre: centreParameter,
    layers: layersParameter,
    start: instantParameter('start'),
    end: instantParameter('end'),
    /** How to load an area that is wider than one request allows; without it such an area is rejected. */
    wide: z.enum(['middle', 'tiles'], { error: 'must be middle or tiles' }).optional(),
    /** How many requests to the upstream the operator accepted. */
    max_requests: z
      .string()
      .regex(/^\d{1,5}$/, { error: 'must be a whole number' })
      .transform(Number)
      .optional(),
    /** The instant from which the load goes outwards; default: `start`. */
    from: fromParameter.optional(),
    /** A name for the load, by which `POST /api/history/seek` finds it. */
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
 * The query of `GET /api/export`: that of `GET /api/live`, or with `start` and `end` that of `GET /api/history`, and a filter. `inside=view`
 * means the box.
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

/** The query of `GET /api/maps`: the name of a configured map. */
export const mapQuerySchema = z.strictObject({ name: z.string() });
