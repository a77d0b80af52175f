import { z } from 'zod';
import { type Bbox, bboxContains, formatBbox } from '../geo/bbox.ts';
import { bboxParameter } from '../geo/bbox-parameter.ts';
import type { LonLat } from '../geo/great-circle.ts';
import { parseBbox } from '../geo/parse-bbox.ts';
import { parseDecimal } from '../geo/parse-decimal.ts';
import { LAYERS, type Layer } from '../model/position.ts';
import { instantParameter } from '../time/instant-schema.ts';
import { parseSince, type Since } from './compact-answer.ts';

/** A viewport of any size, west > east across 180°. */
const viewParameter = bboxParameter.transform((asked, context) => {
  // Kept to the decimals that are written upstream, so that a side within the limit here is within it there.
  const kept = parseBbox(formatBbox(asked));
  if (kept.ok) return kept.bbox;
  context.addIssue({ code: 'custom', message: kept.message });
  return z.NEVER;
});

/**
 * What is shown in the middle of the viewport. It is not always the middle of `bbox`: degrees of latitude get longer on the map
 * towards the poles, and a box of the whole circle has no middle.
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

/** For `refine` of a query with both. */
const centreLiesInBbox = [
  ({ bbox, centre }: { readonly bbox: Bbox; readonly centre?: LonLat | undefined }) =>
    centre === undefined || bboxContains(bbox, centre.lon, centre.lat),
  { error: 'centre must lie in bbox' },
] as const;

/** One or both layers, both where none is named. */
const layersParameter = z
  .string()
  .transform((text, context): readonly Layer[] => {
    const asked = text.split(',');
    const known = LAYERS.filter((layer) => asked.includes(layer));
    if (known.length === asked.length) return known;
    context.addIssue({ code: 'custom', message: 'layers must be rid, adsb or rid,adsb' });
    return z.NEVER;
  })
  .default(LAYERS);

/** The query of `GET /api/live`. Unknown parameters are refused. */
export const liveQuerySchema = z
  .strictObject({
    bbox: viewParameter,
    centre: centreParameter,
    layers: layersParameter,
    /** Tells the pages of one operator apart, so that a page that moves on is not counted twice; without it the view is the page. */
    page: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,40}$/, { error: 'must be at most 40 letters, digits and hyphens' })
      .optional(),
    /** What the page holds already; for the compact form alone. */
    since: z
      .string()
      .transform((text, context): Since => {
        const since = parseSince(text);
        if (since) return since;
        context.addIssue({ code: 'custom', message: 'since must be AREA:SEQUENCE,… as an answer before named them' });
        return z.NEVER;
      })
      .optional(),
  })
  .refine(...centreLiesInBbox);

/**
 * The query of `GET /api/history` and `GET /api/history/cost`. `start` is inclusive, `end` exclusive. How long a window and how
 * wide an area may be, and what lies too far back, is said by the server.
 */
export const historyQuerySchema = z
  .strictObject({
    bbox: viewParameter,
    centre: centreParameter,
    layers: layersParameter,
    start: instantParameter('start'),
    end: instantParameter('end'),
    /** How to load an area that is wider than one request may be; without it such an area is refused. */
    wide: z.enum(['middle', 'tiles'], { error: 'must be middle or tiles' }).optional(),
    /** How many requests to the upstream the operator accepted. */
    max_requests: z
      .string()
      .regex(/^\d{1,5}$/, { error: 'must be a whole number' })
      .transform(Number)
      .optional(),
  })
  .refine(...centreLiesInBbox)
  .refine(({ start, end }) => start < end, { error: 'end must be after start' })
  .transform(({ start, end, max_requests, ...rest }) => ({
    ...rest,
    window: { start, end },
    maxRequests: max_requests,
  }));

export type HistoryQuery = z.infer<typeof historyQuerySchema>;
