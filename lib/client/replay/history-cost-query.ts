import { queryOptions } from '@tanstack/react-query';
import { type HistoryCost, historyCostSchema } from '#lib/api/history-cost.ts';
import { requestJson } from '../request/request-json.ts';

const FRESH_MS = 30_000;
const ANSWER_TIMEOUT_MS = 60_000;

/** @throws LookoutRequestError */
export function requestHistoryCost(query: string, signal: AbortSignal): Promise<HistoryCost> {
  return requestJson('GET', `/api/history/cost?${query}`, historyCostSchema, { signal, timeoutMs: ANSWER_TIMEOUT_MS });
}

export function historyCostQuery(query: string) {
  return queryOptions<HistoryCost>({
    queryKey: ['history-cost', query],
    queryFn: ({ signal }) => requestHistoryCost(query, signal),
    enabled: query !== '',
    staleTime: FRESH_MS,
    retry: false,
  });
}
