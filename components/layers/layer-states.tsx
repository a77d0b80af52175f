'use client';

import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-display-order.ts';
import type { Layer } from '#lib/model/position.ts';
import { drawnOf } from '#lib/picture/draw-picture.ts';
import { classNames } from '../ui/class-names.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import { useLayerText } from './use-layer-text.ts';

/**
 * Each layer's state as a full sentence: empty, off, failed, refused and limited read differently. While a layer is in order its chip in the
 * bar says it all, and the sentence is for screen readers.
 */
export function LayerStates() {
  return (
    <ul aria-label="State of the layers" className="contents">
      {LAYER_DISPLAY_ORDER.map((layer) => (
        <LayerState key={layer} layer={layer} />
      ))}
    </ul>
  );
}

function LayerState({ layer }: { readonly layer: Layer }) {
  const { tone, sentence, counts } = useLayerText(layer);
  const isInOrder = tone === 'good' && drawnOf(counts) > 0;
  return (
    <li className={classNames(isInOrder ? 'sr-only' : 'strip-line')}>
      <ToneMark tone={tone} />
      <span data-testid={`layer-state-${layer}`}>{sentence}</span>
    </li>
  );
}
