'use client';

import { layerWords } from '#lib/client/layer-words.ts';
import { useLiveSummary, usePreferences } from '#lib/client/lookout-context.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { LAYER_DISPLAY_ORDER } from './layer-display-order.ts';
import { statusNow } from './status-now.ts';

/** Each layer's state as a whole sentence, always in sight: empty, not asked, failed, refused and limited read differently. */
export function LayerStates() {
  const { layers, connection, nowMs } = useLiveSummary();
  const [{ zone }] = usePreferences();
  return (
    <ul aria-label="State of the layers" className="flex flex-col gap-1 text-table">
      {LAYER_DISPLAY_ORDER.map((layer) => {
        const { tone, sentence } = layerWords(statusNow(layers[layer], connection, nowMs), nowMs, zone);
        return (
          <li key={layer} className="flex items-baseline gap-2">
            <ToneMark tone={tone} />
            <span data-testid={`layer-state-${layer}`}>{sentence}</span>
          </li>
        );
      })}
    </ul>
  );
}
