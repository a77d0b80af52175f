'use client';

import { layerText } from '#lib/client/display/layer-text.ts';
import { useDisplay, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { useMay } from '#lib/client/page/use-may.ts';
import { replayLayerText } from '#lib/client/replay/replay-layer-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { drawnOf, type LayerCounts } from '#lib/picture/draw-picture.ts';
import type { MarkedTone } from '../ui/tone-mark.tsx';
import { layerAgeText } from './layer-age-text.ts';
import { statusNow } from './status-now.ts';

export interface ShownLayerText {
  readonly tone: MarkedTone;
  readonly sentence: string;
  readonly short: string;
  readonly counts: LayerCounts;
  /** False where 0 would read as an empty sky although nothing is known. */
  readonly showsCount: boolean;
}

export function useLayerText(layer: Layer): ShownLayerText {
  const { layers, connection, now, shownAt } = useDisplay();
  const [{ zone }] = usePreferences();
  const replayed = useReplay((summary) => summary?.layers[layer]);
  const window = useReplay((summary) => summary?.playback.window);
  const maySpend = useMay('spend');
  const { counts } = layers[layer];
  if (replayed && window && shownAt !== undefined) {
    const drawn = drawnOf(counts);
    const text = replayLayerText(replayed, drawn, { window, cursor: shownAt, zone, maySpend });
    return { ...text, counts, showsCount: drawn > 0 || text.tone === 'good' };
  }
  const status = statusNow(layers[layer], connection, now);
  const isKnown = status.on && status.state === 'fresh';
  const showsCount = isKnown || drawnOf(counts) > 0;
  return { ...layerText(status, now, zone), short: layerAgeText(status, now), counts, showsCount };
}
