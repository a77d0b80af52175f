import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { type Bbox, bboxSizeDeg2 } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { windowLengthMs } from '#lib/time/window.ts';
import type { Turns } from '../work/turns.ts';
import type { BoxToLoad } from './box-load.ts';
import type { CachedPiece } from './cached-pieces.ts';
import type { LoadedBoxes } from './loaded-boxes.ts';
import type { Part } from './parts/history-part.ts';
import type { PartReader } from './parts/part-reader.ts';
import { Splitter } from './split/splitter.ts';

/** More steps do not improve an estimate. */
const STEPS_MAX = 500;

/** For each hour of a load, whatever was quoted. */
export const REQUESTS_MAX = 500;
/** Quotes need a margin: density is known only after loading. */
const MARGIN_FACTOR = 2;
const MARGIN_MIN = 8;
/** Enough for a busy hour, and a small share of a day's allowance. */
const UNKNOWN_MAX = 100;

/** Sources of the estimated density of a box. */
interface PriceSources {
  /** Records per second in a box; `undefined` if unknown. */
  readonly expectedPerSecond: (layer: Layer, bbox: Bbox) => number | undefined;
  readonly reader: PartReader;
  readonly loaded: LoadedBoxes;
}

/**
 * Prices a replay, in requests.
 * @param hours of its window
 * @param from the cursor, from which it loads outwards
 */
export async function priceOf(
  boxes: readonly BoxToLoad[],
  hours: number,
  { expectedPerSecond, reader, loaded }: PriceSources,
  from: UpstreamInstant | undefined,
  turns: Turns,
) {
  let expected = 0;
  let known = true;
  for (const box of boxes) {
    const perSecond = expectedPerSecond(box.layer, box.bbox);
    const parts = loaded.partsOf(box);
    const requests = await expectedRequests(box, perSecond, reader, parts, from, turns);
    expected += requests;
    const isUnknown = perSecond === undefined && parts.length === 0 && reader.cachedPieces(box.layer, box).length === 0;
    if (requests > 0 && isUnknown) known = false;
  }
  const withMargin = Math.max(expected + MARGIN_MIN * hours, expected * MARGIN_FACTOR, known ? 0 : UNKNOWN_MAX * hours);
  return { expected, known, max_requests: expected === 0 ? 0 : Math.min(REQUESTS_MAX * hours, withMargin) };
}

/** Splits the box as if records were evenly spread. */
async function expectedRequests(
  box: BoxToLoad,
  perSecond: number | undefined,
  reader: PartReader,
  parts: readonly Part[],
  from: UpstreamInstant | undefined,
  turns: Turns,
): Promise<number> {
  if (parts.length > 0) return parts.filter((part) => !reader.isCached(box.layer, part)).length;
  const pieces = reader.cachedPieces(box.layer, box);
  const density = perSecond === undefined ? cachedDensity(pieces) : perSecond / bboxSizeDeg2(box.bbox);
  const cached = pieces.map(({ part, window }) => {
    const shareOfTime = windowLengthMs(window) / windowLengthMs(part.window);
    const shareOfArea = bboxSizeDeg2(box.bbox) / bboxSizeDeg2(part.bbox);
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
  for (let step = 0; step < STEPS_MAX; step++) {
    const [part] = splitter.next(1);
    if (!part) break;
    if (turns.isDue) await turns.next();
    const cached = reader.cached(box.layer, part);
    if (cached) {
      splitter.answered(part, { records: cached.records, truncated: cached.truncated, cached: true });
      continue;
    }
    requests++;
    const records = Math.round(density * partSize(part));
    splitter.answered(part, { records: Math.min(records, LIMIT_MAX), truncated: records > LIMIT_MAX });
  }
  return requests;
}

/** In records per second and square degree. */
function cachedDensity(pieces: readonly CachedPiece[]): number {
  const size = pieces.reduce((sum, { part }) => sum + partSize(part), 0);
  return size === 0 ? 0 : pieces.reduce((sum, { part }) => sum + part.records, 0) / size;
}

/** In seconds times square degrees. */
function partSize({ bbox, window }: Part): number {
  return (bboxSizeDeg2(bbox) * windowLengthMs(window)) / 1000;
}
