import * as z from 'zod/mini';
import { LAYERS } from '#lib/model/position.ts';
import { formatInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { ReplayEngine } from '../../replay/replay-engine.ts';

const KEY = 'lookout.window.load';
const storedSchema = z.object({ from: z.string(), to: z.string(), left: z.int().check(z.nonnegative()) });

/** The rest of an accepted price while a replay loads. Returns a function that stops. */
export function storeLoad(
  replay: Pick<ReplayEngine, 'summary' | 'subscribe'>,
  storage: Pick<Storage, 'setItem' | 'removeItem'>,
): () => void {
  let written: string | undefined;
  return replay.subscribe(() => {
    const summary = replay.summary();
    let text: string | undefined;
    if (summary && summary.loading.kind !== 'done') {
      // A load that failed can go on after a reload too.
      if (!('terms' in summary.loading)) return;
      const { start, end } = summary.playback.window;
      const made = LAYERS.reduce((sum, layer) => sum + summary.layers[layer].requestsMade, 0);
      const left = Math.max(0, summary.loading.terms.maxRequests - made);
      text = JSON.stringify({ from: formatInstant(start), to: formatInstant(end), left });
    }
    if (text === written) return;
    written = text;
    try {
      if (text === undefined) storage.removeItem(KEY);
      else storage.setItem(KEY, text);
    } catch {
      // Without storage, the operator has to accept the price again after a reload.
    }
  });
}

/** Rest of the window's accepted price before a reload; `undefined` if nothing was loading. */
export function storedLoad(storage: Pick<Storage, 'getItem'>, { start, end }: Window): number | undefined {
  try {
    const { data } = z.safeParse(storedSchema, JSON.parse(storage.getItem(KEY) ?? 'null'));
    return data && data.from === formatInstant(start) && data.to === formatInstant(end) ? data.left : undefined;
  } catch {
    return undefined;
  }
}
