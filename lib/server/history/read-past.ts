import 'server-only';
import { type ApiError, isApiError } from '#lib/api/error-code.ts';
import type { LayerEnd } from '#lib/api/history-line.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { positionsOf } from '#lib/codec/record-columns.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { type ImpairedStretch, impairedOver, type PlaceReception } from '#lib/model/reception.ts';
import { epochMs, instantOf } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Observation } from '#lib/zones/evaluation/transition.ts';
import { Yielding } from '../work/yielding.ts';
import type { LoadEvent } from './history-load.ts';
import { unpackObservations } from './parts/history-part.ts';

export interface ReadPast {
  /** The observations are unordered, and those on edges between boxes repeat. */
  readonly observations: readonly Observation[];
  readonly requests: number;
  readonly isComplete: boolean;
  readonly gaps: readonly PastGap[];
  /** When some or all receivers were missing, for the time that was read, if the upstream reports them. */
  readonly impaired: readonly PastImpairment[];
  /** The refusal that ended the reading. */
  readonly refusal: ApiError | undefined;
}

export type PastGap = LayerEnd['gaps'][number] & { readonly layer: Layer };
export type PastImpairment = ImpairedStretch & { readonly layer: Layer };

/** A gap of any box. */
export type MergedGap = Omit<PastGap, 'bbox'>;

export interface ReadPastOptions {
  readonly boxes: readonly { readonly layer: Layer; readonly bbox: Bbox }[];
  readonly window: Window;
  readonly maxRequests: number;
  /** There is no limit by default. */
  readonly maxPositions?: number;
  readonly signal: AbortSignal;
  readonly load: (query: HistoryQuery, signal: AbortSignal) => AsyncIterable<LoadEvent>;
}

/** An end or a refusal keeps the positions before it. */
export async function readPast(options: ReadPastOptions): Promise<ReadPast> {
  const { boxes, window, maxRequests, maxPositions = Number.POSITIVE_INFINITY, signal, load } = options;
  const observations: Observation[] = [];
  const gaps: PastGap[] = [];
  const reported: (PlaceReception & { readonly layer: Layer })[] = [];
  let requests = 0;
  let isComplete = true;
  const yielding = new Yielding();
  for (const { layer, bbox } of boxes) {
    const query = { bbox, layers: [layer], window, maxRequests: Math.max(0, maxRequests - requests) } as HistoryQuery;
    let [ownRequests, isOwnComplete] = [0, false];
    let refusal: ApiError | undefined;
    try {
      for await (const event of load(query, signal)) {
        if (event.kind === 'part') {
          reported.push({ layer, window: event.part.window, stretches: event.part.reception ?? [] });
          for (const position of positionsOf(await unpackObservations(event.part.body)))
            observations.push({ layer, position });
        } else if (event.line.type === 'progress') {
          ownRequests = event.line.layers[layer]?.requests_made ?? 0;
        } else if (event.line.type === 'end') {
          const end = event.line.layers[layer];
          ownRequests = end?.requests ?? ownRequests;
          isOwnComplete = end?.complete === true;
          gaps.push(...(end?.gaps ?? []).map((gap) => ({ ...gap, layer })));
        }
        if (observations.length > maxPositions) break;
        if (yielding.isDue) await yielding.next();
      }
    } catch (error) {
      if (isApiError(error)) refusal = error;
      else if (!signal.aborted) throw error;
    }
    requests += ownRequests;
    isComplete &&= isOwnComplete;
    if (refusal || signal.aborted || observations.length > maxPositions)
      return { observations, requests, isComplete: false, gaps, impaired: impairedOf(reported), refusal };
  }
  return { observations, requests, isComplete, gaps, impaired: impairedOf(reported), refusal: undefined };
}

function impairedOf(reported: readonly (PlaceReception & { readonly layer: Layer })[]): readonly PastImpairment[] {
  return [...Map.groupBy(reported, ({ layer }) => layer)].flatMap(([layer, places]) =>
    impairedOver(places).map((stretch) => ({ ...stretch, layer })),
  );
}

/** The gaps of all boxes together: stretches of a layer and reason that overlap or follow each other are one. */
export function mergedGaps(gaps: readonly PastGap[]): readonly MergedGap[] {
  return [...Map.groupBy(gaps, ({ layer, reason }) => `${layer} ${reason}`).values()].flatMap((its) => {
    const merged: MergedGap[] = [];
    const ms = (text: string) => epochMs(instantOf(text));
    for (const { layer, reason, start, end } of its.toSorted((one, next) => ms(one.start) - ms(next.start))) {
      const last = merged.at(-1);
      if (!last || ms(start) > ms(last.end)) merged.push({ layer, reason, start, end });
      else if (ms(end) > ms(last.end)) merged[merged.length - 1] = { ...last, end };
    }
    return merged;
  });
}
