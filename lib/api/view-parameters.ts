import { z } from 'zod';
import { type Bbox, bboxContains, formatBbox } from '../geo/bbox.ts';
import type { LonLat } from '../geo/great-circle.ts';
import { parseBbox } from '../geo/parse-bbox.ts';
import { parseDecimal } from '../geo/parse-decimal.ts';
import { LAYERS, type Layer } from '../model/position.ts';

/** `bbox`: a viewport of any size, west > east across 180°. */
export const bboxParameter = z
  .string({ error: 'bbox is required: west,south,east,north in decimal degrees' })
  .transform((text, context): Bbox => {
    const parsed = parseBbox(text);
    // Kept to the decimals that are written upstream, so that a side within the limit here is within it there.
    const kept = parsed.ok ? parseBbox(formatBbox(parsed.bbox)) : parsed;
    if (kept.ok) return kept.bbox;
    context.addIssue({ code: 'custom', message: kept.message });
    return z.NEVER;
  });

/**
 * `centre`: what is shown in the middle of the viewport. It is not always the middle of `bbox`: degrees of latitude get longer
 * on the map towards the poles, and a box of the whole circle has no middle.
 */
export const centreParameter = z
  .string()
  .transform((text, context): LonLat => {
    const [lon, lat, ...rest] = text.split(',').map(parseDecimal);
    if (lon !== undefined && lat !== undefined && rest.length === 0) return { lon, lat };
    context.addIssue({ code: 'custom', message: 'centre must be two plain decimal numbers: longitude,latitude' });
    return z.NEVER;
  })
  .optional();

/** For `refine` of a query with both. */
export const centreLiesInBbox = [
  ({ bbox, centre }: { readonly bbox: Bbox; readonly centre?: LonLat | undefined }) =>
    centre === undefined || bboxContains(bbox, centre.lon, centre.lat),
  { error: 'centre must lie in bbox' },
] as const;

/** `layers`: one or both, both where none is named. */
export const layersParameter = z
  .string()
  .transform((text, context): readonly Layer[] => {
    const asked = text.split(',');
    const known = LAYERS.filter((layer) => asked.includes(layer));
    if (asked.length > 0 && known.length === asked.length) return known;
    context.addIssue({ code: 'custom', message: 'layers must be rid, adsb or rid,adsb' });
    return z.NEVER;
  })
  .default(LAYERS);
