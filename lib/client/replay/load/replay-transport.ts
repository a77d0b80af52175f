import type { HistoryCost } from '#lib/api/history-cost.ts';
import { formatInstant, instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { requestHistoryCost } from '../history-cost-query.ts';
import { type LoadListener, ReplayLoader } from './replay-loader.ts';

export interface ReplayTransport {
  /** @throws LookoutRequestError */
  cost(query: URLSearchParams, signal: AbortSignal): Promise<HistoryCost>;
  load(query: URLSearchParams, listener: LoadListener, signal: AbortSignal): void;
  /** Loads outwards from another instant; no effect unless the load is running there. */
  seek(load: string, from: UpstreamInstant): void;
  yieldToMain(): Promise<void>;
}

/** @param onClock called with the upstream's time in an answer, and the answer's estimated age on arrival */
export function openReplayTransport(
  onClock: (asOf: UpstreamInstant, delayMs: number) => void,
): ReplayTransport & { close(): void } {
  const loader = new ReplayLoader();
  return {
    async cost(query, signal) {
      loader.prepare();
      const sentMs = performance.now();
      const cost = await requestHistoryCost(String(query), signal);
      onClock(instantOf(cost.as_of), (performance.now() - sentMs) / 2);
      return cost;
    },
    load: (query, listener, signal) => loader.load(query, listener, signal),
    seek: (load, from) => {
      // Only an optimisation of the order: failures are not reported.
      fetch('/api/history/seek', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ load, from: formatInstant(from) }),
      }).catch(() => undefined);
    },
    yieldToMain: () => new Promise((resolve) => setTimeout(resolve)),
    close: () => loader.close(),
  };
}
