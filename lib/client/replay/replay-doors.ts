import { historyCostSchema } from '#lib/api/history-cost.ts';
import { NO_ANSWER_WORDS, refusalWords } from '../refusal-words.ts';
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
      const address = `/api/history/cost?${query}`;
      const answer = await fetch(address, { cache: 'no-store', redirect: 'error' }).catch(() => {
        throw new Error(NO_ANSWER_WORDS);
      });
      if (answer.status === 401) throw new SignedOutError();
      if (!answer.ok) throw new Error(await refusalWords(answer));
      const cost = historyCostSchema.parse(await answer.json());
      onClock(Date.parse(cost.as_of), (performance.now() - askedMs) / 2);
      return cost;
    },
    load: (query, listener) => loader.load(query, listener),
    stop: () => loader.stop(),
    breathe: () => new Promise((resolve) => setTimeout(resolve)),
    close: () => loader.close(),
  };
}
