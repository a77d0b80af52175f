'use client';

import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-display-order.ts';
import type { Layer } from '#lib/model/position.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import { useLayerText } from './use-layer-text.ts';

/** Each layer's state as a full sentence, always visible: empty, off, failed, refused and limited read differently. */
export function LayerStates() {
  return (
    <ul aria-label="State of the layers" className="flex flex-col gap-1 text-table">
      {LAYER_DISPLAY_ORDER.map((layer) => (
        <LayerState key={layer} layer={layer} />
      ))}
    </ul>
  );
}

function LayerState({ layer }: { readonly layer: Layer }) {
  const { tone, sentence } = useLayerText(layer);
  return (
    <li className="flex items-baseline gap-2">
      <ToneMark tone={tone} />
      <span data-testid={`layer-state-${layer}`}>{sentence}</span>
    </li>
  );
}
