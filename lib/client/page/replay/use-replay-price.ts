'use client';

import { useQuery } from '@tanstack/react-query';
import { addMs } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { historyCostQuery } from '../../replay/history-cost-query.ts';
import { priceOf } from '../../replay/replay-quote.ts';
import { historyQuery } from '../../replay/replay-request.ts';
import type { ReplayPrice } from '../../replay/replay-summary.ts';
import { useRested } from '../../request/use-rested.ts';
import { useLayersOn, useLookout, useValue } from '../lookout-context.tsx';
import { replayRequest } from './enter-replay.ts';

const REST_MS = 400;

export interface PricedReplay {
  /** Of the middle, if the area is wide. */
  readonly price: ReplayPrice;
  readonly isWide: boolean;
}

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
  const { data } = useQuery(historyCostQuery(rested));
  if (!data || query !== rested) return undefined;
  return { price: priceOf(data.middle), isWide: data.wide };
}
