import * as z from 'zod/mini';
import { LAYERS } from '#lib/model/position.ts';
import { formatInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { BrowserStorage } from '../../browser/storage.ts';
import type { ReplayEngine } from '../../replay/replay-engine.ts';

const KEY = 'lookout.window.load';
const storedSchema = z.object({ from: z.string(), to: z.string(), left: z.int().check(z.nonnegative()) });

/** The rest of an accepted price while a replay loads. Returns a function that stops. */
export function storeLoad(
  replay: Pick<ReplayEngine, 'summary' | 'subscribe'>,
  storage: Pick<BrowserStorage, 'write'>,
): () => void {
  let written: z.infer<typeof storedSchema> | undefined;
  return replay.subscribe(() => {
    const summary = replay.summary();
    let rest: z.infer<typeof storedSchema> | undefined;
    if (summary && summary.loading.kind !== 'done') {
      // A load that failed can go on after a reload too.
      if (!('terms' in summary.loading)) return;
      const { start, end } = summary.playback.window;
      const made = LAYERS.reduce((sum, layer) => sum + summary.layers[layer].requestsMade, 0);
      const left = Math.max(0, summary.loading.terms.maxRequests - made);
      rest = { from: formatInstant(start), to: formatInstant(end), left };
    }
    if (JSON.stringify(rest) === JSON.stringify(written)) return;
    written = rest;
    storage.write(KEY, rest);
  });
}

/** Rest of the window's accepted price before a reload; `undefined` if nothing was loading. */
export function storedLoad(storage: Pick<BrowserStorage, 'read'>, { start, end }: Window): number | undefined {
  const rest = storage.read(KEY, storedSchema);
  return rest && rest.from === formatInstant(start) && rest.to === formatInstant(end) ? rest.left : undefined;
}
