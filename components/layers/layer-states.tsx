'use client';

import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-text.ts';
import { useDisplay } from '#lib/client/page/lookout-context.tsx';
import type { Layer } from '#lib/model/position.ts';
import { drawnOf } from '#lib/picture/draw-picture.ts';
import { classNames } from '../ui/class-names.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import { isConnectionLost, useLayerText } from './use-layer-text.ts';

/** The state of each layer: visible where the chip of the layer does not say it all, otherwise for screen readers only. */
export function LayerStates() {
  return (
    <ul aria-label="State of the layers" translate="no" className="contents">
      {LAYER_DISPLAY_ORDER.map((layer) => (
        <LayerState key={layer} layer={layer} />
      ))}
    </ul>
  );
}

function LayerState({ layer }: { readonly layer: Layer }) {
  const { tone, sentence, counts } = useLayerText(layer);
  const isLost = useDisplay(({ connection, isPast }) => !isPast && isConnectionLost(connection));
  const isInOrder = tone === 'good' && drawnOf(counts) > 0;
  return (
    <li data-tone={tone} className={classNames(isInOrder || isLost ? 'sr-only' : 'strip-line')}>
      <ToneMark tone={tone} />
      <span data-testid={`layer-state-${layer}`}>{sentence}</span>
    </li>
  );
}
