import 'server-only';
import { LIMIT_MAX, QUERY_LENGTH_LIMIT } from '#lib/contract/limits.ts';
import { type Layer, type Mode, type OperationId, operationId, operationPath } from '#lib/contract/operation.ts';
import { historyQuerySchema, liveQuerySchema } from '#lib/contract/query.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { formatInstant, type Instant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';

export interface LivePageQuery {
  /** West < east, no side over the contract's live limit. */
  readonly bbox: Bbox;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface HistoryPageQuery {
  /** West < east, no side over the contract's history limit. */
  readonly bbox: Bbox;
  /** At most an hour, past on the upstream's clock. */
  readonly window: Window;
}

/** One request, checked against the contract and written down. */
export interface Question {
  readonly operation: OperationId;
  readonly mode: Mode;
  readonly layer: Layer;
  /** Path and query, below the base address. */
  readonly target: string;
  /** True where it carries a cursor, which the upstream may refuse by itself. */
  readonly isPaged: boolean;
  /** Where the window of a history request starts. */
  readonly start: Instant | undefined;
  /** What the log says of it. */
  readonly logged: object;
}

/** @throws ZodError where it breaks the contract */
export function liveQuestion(layer: Layer, query: LivePageQuery, trackPrefix: string | undefined): Question {
  const { bbox, limit, cursor } = query;
  const parameters = {
    bbox: formatBbox(bbox),
    limit: String(limit),
    ...(cursor === undefined ? {} : { cursor }),
  };
  liveQuerySchema(trackPrefix).parse(parameters);
  const isPaged = cursor !== undefined;
  return {
    ...written('live', layer, parameters),
    isPaged,
    start: undefined,
    logged: { bbox: parameters.bbox, paged: isPaged },
  };
}

/** @param now on the upstream's clock @throws ZodError where it breaks the contract */
export function historyQuestion(layer: Layer, { bbox, window }: HistoryPageQuery, now: Instant): Question {
  const parameters = {
    bbox: formatBbox(bbox),
    limit: String(LIMIT_MAX),
    start: formatInstant(window.start),
    end: formatInstant(window.end),
  };
  historyQuerySchema(now).parse(parameters);
  const { limit: _, ...logged } = parameters;
  return { ...written('history', layer, parameters), isPaged: false, start: window.start, logged };
}

function written(mode: Mode, layer: Layer, parameters: Record<string, string>) {
  const encoded = new URLSearchParams(parameters).toString();
  if (encoded.length >= QUERY_LENGTH_LIMIT) throw new Error('a query of ours is too long for the contract');
  return { operation: operationId(mode, layer), mode, layer, target: `${operationPath(mode, layer)}?${encoded}` };
}
