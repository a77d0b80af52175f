import { useQuery } from '@tanstack/react-query';
import { addMs } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { historyCostQuery, replayPriceOf } from '../replay/replay-price.ts';
import { historyQuery } from '../replay/replay-request.ts';
import type { ReplayPrice } from '../replay/replay-summary.ts';
import { useRested } from '../request/use-rested.ts';
import { replayRequest } from './enter-replay.ts';
import { useLayersOn, useLookout, useValue } from './lookout-context.tsx';

/** A moving map is priced once it rests for this long. */
const REST_MS = 400;

export interface PricedReplay {
  /** If the area is wide, the price of its middle. */
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
  return { price: replayPriceOf(data.middle), isWide: data.wide };
}
