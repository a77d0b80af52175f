import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { windowLengthMs } from '#lib/time/window.ts';
import type { BoxToLoad } from './box-load.ts';
import type { Part } from './parts/history-part.ts';
import type { PartReader } from './parts/part-reader.ts';
import { Splitter } from './split/splitter.ts';

/** More steps do not improve an estimate. */
const STEPS_MAX = 500;

/** Splits the box as if records were evenly spread. */
export function expectedRequests(
  box: BoxToLoad,
  perSecond: number | undefined,
  reader: PartReader,
  parts: readonly Part[],
  from: UpstreamInstant | undefined,
): number {
  if (parts.length > 0) return parts.filter((part) => !reader.isCached(box.layer, part)).length;
  const cached = reader.cachedPieces(box.layer, box).map(({ part, window }) => {
    const shareOfTime = windowLengthMs(window) / windowLengthMs(part.window);
    const shareOfArea = bboxAreaDeg2(box.bbox) / bboxAreaDeg2(part.bbox);
    return { window, records: Math.round(part.records * shareOfTime * shareOfArea) };
  });
  const splitter = new Splitter({
    bbox: box.bbox,
    window: box.window,
    maxRequests: STEPS_MAX,
    cached,
    from,
    ...(perSecond === undefined ? {} : { expectedPerSecond: perSecond }),
  });
  let requests = 0;
  const density = (perSecond ?? 0) / bboxAreaDeg2(box.bbox);
  for (let step = 0; step < STEPS_MAX; step++) {
    const [part] = splitter.next(1);
    if (!part) break;
    const cached = reader.cached(box.layer, part);
    if (cached) {
      splitter.answered(part, { records: cached.records, truncated: cached.truncated, cached: true });
      continue;
    }
    requests++;
    const seconds = msBetween(part.window.start, part.window.end) / 1000;
    const records = Math.round(density * bboxAreaDeg2(part.bbox) * seconds);
    splitter.answered(part, { records: Math.min(records, LIMIT_MAX), truncated: records > LIMIT_MAX });
  }
  return requests;
}

/** A weight, not an area on the ground. */
function bboxAreaDeg2(bbox: Bbox): number {
  return lonSpanDeg(bbox) * latSpanDeg(bbox);
}
