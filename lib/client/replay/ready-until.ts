import type { Layer } from '#lib/model/position.ts';
import { addMs, type Instant } from '#lib/time/instant.ts';
import type { Replaying } from './playback.ts';
import type { LayerLoadProgress } from './replay-progress.ts';

const MINUTE_MS = 60_000;

/**
 * Up to when everything is there that will come: the next minute from the cursor on in which a layer is still loading. What
 * failed or was not asked for is not waited for; it is shown as missing. Before anything is known, nothing is there.
 */
export function readyUntil(
  { window, cursor }: Pick<Replaying, 'window' | 'cursor'>,
  layers: ReadonlySet<Layer>,
  progress: Readonly<Record<Layer, Pick<LayerLoadProgress, 'minutes'>>>,
): Instant {
  const first = Math.floor((cursor - window.start) / MINUTE_MS);
  let ready: Instant = window.end;
  for (const layer of layers) {
    const { minutes } = progress[layer];
    if (minutes.length === 0) return window.start;
    const loading = minutes.indexOf('loading', first);
    if (loading < 0) continue;
    const at = addMs(window.start, loading * MINUTE_MS);
    if (at < ready) ready = at;
  }
  return ready;
}
