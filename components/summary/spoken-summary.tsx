'use client';

import { useEffect, useRef, useState } from 'react';
import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useDisplay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { clockText } from '#lib/model/clock-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { drawnOf } from '#lib/picture/draw-picture.ts';
import { countText } from '../layers/count-text.ts';
import { useLayerText } from '../layers/use-layer-text.ts';
import { type HeardLayer, PacedChanges } from './changes-text.ts';
import { selectedText } from './selected-text.ts';

export function SpokenSummary() {
  const { shownAt, isPast, selected, now } = useDisplay();
  const [{ zone, units, spokenEveryS }] = usePreferences();
  const layers = [useHeardLayer(LAYER_DISPLAY_ORDER[0]), useHeardLayer(LAYER_DISPLAY_ORDER[1])];
  const changes = useRef<PacedChanges>(undefined);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (spokenEveryS === 0 || now === undefined) return;
    changes.current ??= new PacedChanges();
    const text = changes.current.next(
      {
        replayedAt: isPast && shownAt !== undefined ? clockText(shownAt, zone) : undefined,
        layers,
        selected: selected && shownAt !== undefined ? selectedText(selected, shownAt, units) : undefined,
      },
      performance.now(),
      spokenEveryS * 1000,
    );
    if (text !== undefined) setSaid(text);
  });
  return (
    <p role="status" data-testid="spoken-summary" className="sr-only">
      {said}
    </p>
  );
}

function useHeardLayer(layer: Layer): HeardLayer {
  const { tone, sentence, counts } = useLayerText(layer);
  const shown = useDisplay(({ filtered }) => filtered.shownOf[layer]);
  const { state, reason } = useDisplay().layers[layer];
  const { current, expired } = countText(counts, shown);
  const received = [current, expired].filter((part) => part !== undefined).join(', ');
  return {
    received: drawnOf(counts) === 0 ? sentence : `${LAYER_NAME[layer]}: ${received}`,
    trouble: tone === 'good' ? undefined : `${tone} ${state} ${reason}`,
    sentence,
  };
}
