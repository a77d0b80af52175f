import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { LEAD_IN_MAX_MS, REPLAY_MAX_WINDOW_MS } from '#lib/api/replay-window.ts';
import {
  HISTORY_MAX_AGE_MS,
  HISTORY_MAX_SPAN_DEG,
  HISTORY_MAX_WINDOW_MS,
  LOOKBACK_MAX_DAYS,
} from '#lib/contract/limits.ts';
import { type Bbox, bboxCovers, latSpanDeg, lonSpanDeg, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { growToGrid } from '#lib/geo/grown-box.ts';
import { durationText } from '#lib/model/duration-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import type { BoxToLoad } from './box-load.ts';

/** Windows up to now end at multiples of this, so that operators who open them almost together share them. */
const NOW_STEP_MS = 10_000;
/** Tiles of one load. A tile takes at least one request, and many for an hour of a busy place. */
const TILES_MAX = 16;

export function isWide(area: Bbox): boolean {
  return lonSpanDeg(area) > HISTORY_MAX_SPAN_DEG || latSpanDeg(area) > HISTORY_MAX_SPAN_DEG;
}

/**
 * Boxes in the middle of an area, grown to a grid so that operators with nearly the same view share loads. It is
 * idempotent.
 * @param centre default: the centre of the area
 */
export function middleBoxes(area: Bbox, centre?: LonLat): readonly Bbox[] {
  const { bbox } = capBbox(area, HISTORY_MAX_SPAN_DEG, centre);
  return splitAtAntimeridian(bbox).map(grownFully);
}

/** A grown box may be large enough for a coarser grid. */
function grownFully(box: Bbox): Bbox {
  const grown = growToGrid(box, HISTORY_MAX_SPAN_DEG);
  return bboxCovers(box, grown) ? box : grownFully(grown);
}

/** Tiles of a fixed grid, which other views share; `undefined` where there are more than `TILES_MAX`. */
export function tilesOf(area: Bbox): readonly Bbox[] | undefined {
  const tiles: Bbox[] = [];
  const step = HISTORY_MAX_SPAN_DEG;
  for (const { west, south, east, north } of splitAtAntimeridian(area)) {
    for (let lon = Math.floor(west / step) * step; lon < east; lon += step) {
      for (let lat = Math.floor(south / step) * step; lat < north; lat += step) {
        if (tiles.length >= TILES_MAX) return undefined;
        tiles.push({ west: lon, south: lat, east: lon + step, north: lat + step });
      }
    }
  }
  return tiles;
}

/** Each box, layer and hour is loaded by itself, so that an hour that fails takes no other with it. */
export function eachLayer(bboxes: readonly Bbox[], layers: readonly Layer[], window: Window): readonly BoxToLoad[] {
  const hours = hoursOf(window);
  return bboxes.flatMap((bbox) => layers.flatMap((layer) => hours.map((hour) => ({ layer, bbox, window: hour }))));
}

export function boxesOf({ bbox, centre, wide }: HistoryQuery, window: Window): readonly Bbox[] {
  if (!isWide(bbox)) return middleBoxes(bbox);
  switch (wide) {
    case 'middle':
      return middleBoxes(bbox, centre);
    case 'tiles': {
      if (hoursOf(window).length > 1)
        throw new ApiError(
          'bad_query',
          'Tiles are loaded for an hour at most: choose a smaller area, or a shorter window.',
        );
      const tiles = tilesOf(bbox);
      if (!tiles)
        throw new ApiError(
          'bad_query',
          `This area takes more than ${TILES_MAX} tiles of ${HISTORY_MAX_SPAN_DEG}°: choose a smaller one.`,
        );
      return tiles;
    }
    case undefined:
      throw new ApiError(
        'bad_query',
        `The area is over ${HISTORY_MAX_SPAN_DEG}° wide or high: add wide=middle to load its centre, or wide=tiles to load all of it.`,
      );
  }
}

/**
 * The part of a window that can be loaded: up to now at most.
 * @throws ApiError where it is longer than a day and its lead-in, in the future, or older than any account's history
 */
export function loadableWindow({ start, end }: Window, now: UpstreamInstant): Window {
  if (msBetween(start, end) > REPLAY_MAX_WINDOW_MS + LEAD_IN_MAX_MS) {
    const [longest, leadIn] = [REPLAY_MAX_WINDOW_MS, LEAD_IN_MAX_MS].map(durationText);
    throw new ApiError('bad_query', `A replay is at most ${longest} long, with at most ${leadIn} before it.`);
  }
  if (start < addMs(now, -HISTORY_MAX_AGE_MS)) {
    const reach = `${LOOKBACK_MAX_DAYS} days`;
    throw new ApiError('outside_lookback', `This starts more than ${reach} ago; no history goes back that far.`);
  }
  const endsAt = end <= now ? end : upstreamInstant(Math.floor(epochMs(now) / NOW_STEP_MS) * NOW_STEP_MS);
  if (endsAt <= start)
    throw new ApiError('bad_query', 'This window is in the future: choose one that has already started.');
  return { start, end: endsAt };
}

/** A longer window is cut into hours. */
const WHOLE_MAX_MS = HISTORY_MAX_WINDOW_MS + LEAD_IN_MAX_MS;

/**
 * The window cut at full hours of UTC, which overlapping windows share. A rest no longer than a lead-in stays with its
 * neighbour.
 */
export function hoursOf(window: Window): readonly Window[] {
  if (windowLengthMs(window) <= WHOLE_MAX_MS) return [window];
  const { start, end } = window;
  const cuts = [start];
  for (let atMs = Math.floor(epochMs(start) / HOUR_MS + 1) * HOUR_MS; atMs < epochMs(end); atMs += HOUR_MS) {
    const isFirstRest = cuts.length === 1 && atMs - epochMs(start) <= LEAD_IN_MAX_MS;
    const isLastRest = epochMs(end) - atMs <= LEAD_IN_MAX_MS;
    if (!isFirstRest && !isLastRest) cuts.push(upstreamInstant(atMs));
  }
  return cuts.map((from, index) => ({ start: from, end: cuts[index + 1] ?? end }));
}
