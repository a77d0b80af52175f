import 'server-only';
import { LIMIT_MAX, QUERY_LENGTH_LIMIT } from '#lib/contract/limits.ts';
import { type Layer, type Mode, type OperationId, operationId, operationPath } from '#lib/contract/operation.ts';
import { upstreamHistoryQuery, upstreamLiveQuery } from '#lib/contract/query.ts';
import { type Bbox, formatBbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';

export interface LivePageQuery {
  /** The box has west < east, and no side over the contract's live limit. */
  readonly bbox: Bbox;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface HistoryPageQuery {
  /** The box has west < east, and no side over the contract's history limit. */
  readonly bbox: Bbox;
  /** A past window of an hour at most. */
  readonly window: Window;
}

interface WrittenRequest {
  readonly operation: OperationId;
  readonly layer: Layer;
  /** The path with its query. */
  readonly target: string;
  readonly limit: number;
  readonly logged: object;
}

/** A request that is checked against the contract. */
export type UpstreamRequest =
  /** `isPaged`: carries a cursor, which the upstream may reject by itself. */
  | (WrittenRequest & { readonly mode: 'live'; readonly isPaged: boolean })
  | (WrittenRequest & { readonly mode: 'history'; readonly start: UpstreamInstant });

/** Half a side of a box, in degrees. */
const SMALL_DEG = 0.05;

/** Of one record, to see whether the upstream answers. */
export function smallQuery({ lat, lon }: { readonly lat: number; readonly lon: number }): LivePageQuery {
  const [south, west] = [Math.min(lat, 89) - SMALL_DEG, Math.min(lon, 179) - SMALL_DEG];
  return {
    bbox: { west, south, east: west + 2 * SMALL_DEG, north: south + 2 * SMALL_DEG },
    limit: 1,
    cursor: undefined,
  };
}

/** @throws ZodError where it breaks the contract */
export function liveRequest(layer: Layer, query: LivePageQuery, trackPrefix: string | undefined): UpstreamRequest {
  const { bbox, limit, cursor } = query;
  const parameters = {
    bbox: formatBbox(bbox),
    limit: String(limit),
    ...(cursor === undefined ? {} : { cursor }),
  };
  upstreamLiveQuery(trackPrefix).parse(parameters);
  const isPaged = cursor !== undefined;
  return {
    ...written('live', layer, parameters),
    limit,
    mode: 'live',
    isPaged,
    logged: { ...sizeOf(bbox), paged: isPaged },
  };
}

/** @throws ZodError where it breaks the contract */
export function historyRequest(
  layer: Layer,
  { bbox, window }: HistoryPageQuery,
  now: UpstreamInstant,
): UpstreamRequest {
  const parameters = {
    bbox: formatBbox(bbox),
    limit: String(LIMIT_MAX),
    start: formatInstant(window.start),
    end: formatInstant(window.end),
  };
  upstreamHistoryQuery(now).parse(parameters);
  const logged = { ...sizeOf(bbox), start: parameters.start, end: parameters.end };
  return { ...written('history', layer, parameters), limit: LIMIT_MAX, mode: 'history', start: window.start, logged };
}

/** The size in degrees: no log contains the position of a viewport. */
function sizeOf(bbox: Bbox) {
  return { width_deg: lonSpanDeg(bbox), height_deg: latSpanDeg(bbox) };
}

function written(
  mode: Mode,
  layer: Layer,
  parameters: Record<string, string>,
): Omit<WrittenRequest, 'limit' | 'logged'> {
  const encoded = new URLSearchParams(parameters).toString();
  if (encoded.length >= QUERY_LENGTH_LIMIT) throw new Error('our own query is longer than the contract allows');
  return { operation: operationId(mode, layer), layer, target: `${operationPath(mode, layer)}?${encoded}` };
}
