'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLookout } from './lookout-context.tsx';
import { knowledgeAfter, NOTHING_KNOWN, type StatusKnowledge } from './status-knowledge.ts';
import { type StatusOutcome, statusOutcome } from './status-outcome.ts';

export const STATUS_QUERY_KEY = ['status'] as const;

const POLL_MS = 5000;
/** The answer is made from memory: one that takes longer does not come. */
const ANSWER_WITHIN_MS = 8000;

/**
 * What Lookout's server tells of the account's allowance.
 * @param enabled whether to ask, at once and then every 5 s while the tab is visible; otherwise the last answer stays, and ages
 */
export function useStatus(enabled: boolean): StatusKnowledge {
  const { feed } = useLookout();
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: STATUS_QUERY_KEY,
    enabled,
    queryFn: async ({ signal }) => {
      const outcome = await askStatus(signal);
      const before = queries.getQueryData<StatusKnowledge>(STATUS_QUERY_KEY) ?? NOTHING_KNOWN;
      return knowledgeAfter(before, outcome, feed.nowMs());
    },
    refetchInterval: POLL_MS,
    refetchOnWindowFocus: 'always',
    refetchOnReconnect: 'always',
    // Offline, too, a failure is said and not waited out.
    networkMode: 'always',
    retry: false,
    staleTime: 0,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return data ?? NOTHING_KNOWN;
}

/** @throws only where `signal` was aborted */
async function askStatus(signal: AbortSignal): Promise<StatusOutcome> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    return await statusOutcome(await fetch('/api/status', { signal: within, cache: 'no-store', redirect: 'error' }));
  } catch {
    signal.throwIfAborted();
    return { kind: 'unreachable' };
  }
}
