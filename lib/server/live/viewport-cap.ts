import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import { subtractBbox } from '#lib/geo/subtract-bbox.ts';

/** A viewport, and its covered part. */
export interface CappedViewport {
  readonly viewport: Bbox;
  /** Boxes to plan for. They may overlap; none crosses 180°. */
  readonly wanted: readonly Bbox[];
  /** The same places, each in one box. */
  readonly covered: readonly Bbox[];
  readonly capped: boolean;
}

/** Caps a viewport at the contract's 30° a side around `centre`, and splits it at 180°. The home area is covered as well. */
export function capViewport(viewport: Bbox, centre: LonLat | undefined, home?: Bbox): CappedViewport {
  const { bbox, capped } = capBbox(viewport, LIVE_MAX_SPAN_DEG, centre);
  const seen = splitAtAntimeridian(bbox);
  if (!home) return { viewport, wanted: seen, covered: seen, capped };
  const atHome = splitAtAntimeridian(capBbox(home, LIVE_MAX_SPAN_DEG).bbox);
  const remaining = seen.reduce((rest, box) => rest.flatMap((part) => subtractBbox(part, box)), atHome);
  return { viewport, wanted: [...seen, ...atHome], covered: [...seen, ...remaining], capped };
}
