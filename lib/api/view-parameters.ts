import { z } from 'zod';
import { type Bbox, formatBbox } from '../geo/bbox.ts';
import { parseBbox } from '../geo/parse-bbox.ts';
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
