import { errorAnswerSchema } from '#lib/api/error-answer.ts';
import { historyCostSchema } from '#lib/api/history-cost.ts';
import { SignedOutError } from '../signed-out-error.ts';
import { ReplayLoader } from './replay-loader.ts';
import type { ReplayDoors } from './replay-opening.ts';

/**
 * The real surroundings of a replay engine in a browser.
 * @param onClock hears what an answer said of the upstream's clock, and how long the answer was under way at most
 */
export function openReplayDoors(onClock: (asOfMs: number, delayMs: number) => void): ReplayDoors & { close(): void } {
  const loader = new ReplayLoader();
  return {
    async cost(query) {
      // While the operator reads what it costs.
      loader.prepare();
      const askedMs = performance.now();
      const answer = await fetch(`/api/history/cost?${query}`, { cache: 'no-store', redirect: 'error' });
      if (answer.status === 401) throw new SignedOutError();
      const body: unknown = await answer.json();
      if (answer.ok) {
        const cost = historyCostSchema.parse(body);
        onClock(Date.parse(cost.as_of), (performance.now() - askedMs) / 2);
        return cost;
      }
      throw new Error(errorAnswerSchema.safeParse(body).data?.error.message ?? 'Lookout’s own server does not answer.');
    },
    load: (query, listener) => loader.load(query, listener),
    stop: () => loader.stop(),
    breathe: () => new Promise((resolve) => setTimeout(resolve)),
    close: () => loader.close(),
  };
}
