'use client';

import { useQuery } from '@tanstack/react-query';
import { type HistoryCost, historyCostSchema } from '#lib/api/history-cost.ts';
import { addMs } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { priceOf } from '../replay/replay-quote.ts';
import { historyQuery } from '../replay/replay-request.ts';
import type { ReplayPrice } from '../replay/replay-summary.ts';
import { fetchLookout } from '../request/fetch-lookout.ts';
import { useRested } from '../request/use-rested.ts';
import { replayRequest } from './enter-replay.ts';
import { useLayersOn, useLookout, useValue } from './lookout-context.tsx';

/** A map that moves is not priced. */
const REST_MS = 400;
const FRESH_MS = 30_000;

export interface PricedReplay {
  /** Of its middle, if the area is wide. */
  readonly price: ReplayPrice;
  readonly isWide: boolean;
}

/** What a replay of what the map shows would cost; asking makes no request to the upstream. `undefined` while that is unknown. */
export function useReplayPrice(window: Window | undefined): PricedReplay | undefined {
  const lookout = useLookout();
  useLayersOn();
  useValue(lookout.mapView);
  const request = window && replayRequest(lookout, { window });
  let query = '';
  if (request && request.layers.size > 0) {
    const { start, end } = request.window;
    query = String(historyQuery({ ...request, window: { start: addMs(start, -(request.leadInMs ?? 0)), end } }));
  }
  const rested = useRested(query, REST_MS);
  const { data } = useQuery({
    queryKey: ['replay-price', rested],
    queryFn: async ({ signal }): Promise<HistoryCost> =>
      historyCostSchema.parse(await (await fetchLookout(`/api/history/cost?${rested}`, { signal })).json()),
    enabled: rested !== '',
    staleTime: FRESH_MS,
    retry: false,
  });
  if (!data || query !== rested) return undefined;
  return { price: priceOf(data.middle), isWide: data.wide };
}
