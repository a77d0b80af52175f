import * as z from 'zod/mini';
import { LAYERS } from '#lib/model/position.ts';
import { formatInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { BrowserStorage } from '../browser/storage.ts';
import type { StoredPreferences } from '../page/preferences.ts';
import type { ReplayEngine } from './replay-engine.ts';
import { termsOfLoad } from './replay-summary.ts';

const LOAD_KEY = 'lookout.window.load';
const loadSchema = z.object({ from: z.string(), to: z.string(), left: z.int().check(z.nonnegative()) });

/**
 * The parts of a replay that outlive it in this browser. This function keeps the rest of an accepted price while a window loads, so that a
 * reload goes on within it. Returns a function that stops.
 */
export function storeLoad(
  replay: Pick<ReplayEngine, 'summary' | 'subscribe'>,
  storage: Pick<BrowserStorage, 'write'>,
): () => void {
  let written: z.infer<typeof loadSchema> | undefined;
  return replay.subscribe(() => {
    const summary = replay.summary();
    let rest: z.infer<typeof loadSchema> | undefined;
    if (summary && summary.loading.kind !== 'done') {
      const terms = termsOfLoad(summary.loading);
      // A load that failed can go on after a reload too.
      if (!terms) return;
      const { start, end } = summary.playback.window;
      const made = LAYERS.reduce((sum, layer) => sum + summary.layers[layer].requestsMade, 0);
      rest = { from: formatInstant(start), to: formatInstant(end), left: Math.max(0, terms.maxRequests - made) };
    }
    if (JSON.stringify(rest) === JSON.stringify(written)) return;
    written = rest;
    storage.write(LOAD_KEY, rest);
  });
}

/** Rest of the window's accepted price before a reload; `undefined` if nothing was loading. */
export function storedLoad(storage: Pick<BrowserStorage, 'read'>, { start, end }: Window): number | undefined {
  const rest = storage.read(LOAD_KEY, loadSchema);
  return rest && rest.from === formatInstant(start) && rest.to === formatInstant(end) ? rest.left : undefined;
}

/** Keeps a speed that was chosen during a replay, and none that a replay was opened with. */
export function storeSpeed(
  replay: Pick<ReplayEngine, 'session' | 'subscribe'>,
  preferences: Pick<StoredPreferences, 'change'>,
): () => void {
  let session = replay.session;
  let speed = session?.playback.speed;
  return replay.subscribe(() => {
    const before = { session, speed };
    session = replay.session;
    speed = session?.playback.speed;
    if (session === undefined || session !== before.session) return;
    if (speed !== undefined && speed !== before.speed) preferences.change({ replaySpeed: speed });
  });
}
