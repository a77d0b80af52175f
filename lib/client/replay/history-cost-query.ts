import { queryOptions } from '@tanstack/react-query';
import { type HistoryCost, historyCostSchema } from '#lib/api/history-cost.ts';
import { requestJson } from '../request/request-json.ts';

const FRESH_MS = 30_000;
const ANSWER_TIMEOUT_MS = 60_000;

/** The price of a part of the past; the server makes no upstream request for it. @param query of `/api/history/cost`; empty: none */
export function historyCostQuery(query: string) {
  return queryOptions<HistoryCost>({
    queryKey: ['history-cost', query],
    queryFn: ({ signal }) =>
      requestJson('GET', `/api/history/cost?${query}`, historyCostSchema, { signal, timeoutMs: ANSWER_TIMEOUT_MS }),
    enabled: query !== '',
    staleTime: FRESH_MS,
    retry: false,
  });
}
