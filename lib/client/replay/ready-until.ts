import type { Layer } from '#lib/model/position.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Playback } from './playback.ts';
import type { LayerLoadProgress } from './replay-progress.ts';

/**
 * The first minute from the cursor on that is still loading in some layer; the window's start without any requested
 * minute.
 */
export function readyUntil(
  { window, cursor }: Pick<Playback, 'window' | 'cursor'>,
  layers: ReadonlySet<Layer>,
  progress: Readonly<Record<Layer, Pick<LayerLoadProgress, 'minutes'>>>,
): UpstreamInstant {
  const first = Math.floor(msBetween(window.start, cursor) / MINUTE_MS);
  let ready: UpstreamInstant = window.end;
  const known = [...layers].filter((layer) => progress[layer].minutes.length > 0);
  if (known.length === 0) return window.start;
  for (const layer of known) {
    const { minutes } = progress[layer];
    const loading = minutes.indexOf('loading', first);
    if (loading < 0) continue;
    const at = addMs(window.start, loading * MINUTE_MS);
    if (at < ready) ready = at;
  }
  return ready;
}
