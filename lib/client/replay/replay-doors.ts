import { errorAnswerSchema } from '#lib/api/error-answer.ts';
import { historyCostSchema } from '#lib/api/history-cost.ts';
import type { ReplayDoors } from './replay-engine.ts';
import { ReplayLoader } from './replay-loader.ts';

/** The real surroundings of a replay engine in a browser. */
export function openReplayDoors(): ReplayDoors & { close(): void } {
  const loader = new ReplayLoader();
  return {
    async cost(query) {
      const answer = await fetch(`/api/history/cost?${query}`, { cache: 'no-store', redirect: 'error' });
      const body: unknown = await answer.json();
      if (answer.ok) return historyCostSchema.parse(body);
      throw new Error(errorAnswerSchema.safeParse(body).data?.error.message ?? 'Lookout’s own server does not answer.');
    },
    load: (query, listener) => loader.load(query, listener),
    stop: () => loader.stop(),
    breathe: () => new Promise((resolve) => setTimeout(resolve)),
    close: () => loader.close(),
  };
}
