'use client';

import { TriangleAlert } from 'lucide-react';
import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-text.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { useDisplay } from '#lib/client/page/lookout-context.tsx';
import type { Layer } from '#lib/model/position.ts';
import { drawnOf } from '#lib/picture/draw-picture.ts';
import { msBetween } from '#lib/time/instant.ts';
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
  const isFailing = useIsFailing(layer);
  const isInOrder = tone === 'good' && drawnOf(counts) > 0;
  return (
    <li data-tone={tone} className={classNames(isInOrder || isLost || isFailing ? 'sr-only' : 'strip-line')}>
      <ToneMark tone={tone} />
      <span data-testid={`layer-state-${layer}`}>{sentence}</span>
    </li>
  );
}

/** A single refresh that fails is no outage. */
const OUTAGE_MS = 15_000;

/** Whether live requests for the layer have failed for a while, and the connection to Lookout is not the reason. */
function useIsFailing(layer: Layer): boolean {
  return useDisplay(({ layers, connection, isPast, now }) => {
    const { state, failingSince } = layers[layer];
    if (isPast || isConnectionLost(connection) || (state !== 'stale' && state !== 'failed')) return false;
    return failingSince !== undefined && now !== undefined && msBetween(failingSince, now) >= OUTAGE_MS;
  });
}

/** The layers whose service does not answer, as one red line at the map's upper edge. Screen readers have the list of states. */
export function LayerFailures() {
  const [adsb, rid] = [useLayerText('adsb').sentence, useLayerText('rid').sentence];
  const [isAdsbFailing, isRidFailing] = [useIsFailing('adsb'), useIsFailing('rid')];
  const sentences = [...(isAdsbFailing ? [adsb] : []), ...(isRidFailing ? [rid] : [])];
  if (sentences.length === 0) return null;
  return (
    <p aria-hidden data-testid="layer-failures" className="failure-line">
      <TriangleAlert aria-hidden size={18} className="shrink-0" />
      <span>{failuresText(sentences)}.</span>
    </p>
  );
}

/** @param sentences such as `Aircraft: service busy since 12:05:00Z`; layers of one reason share a sentence */
function failuresText(sentences: readonly string[]): string {
  const byRest = groupedBy(sentences, (sentence) => sentence.slice(sentence.indexOf(':')));
  return Array.from(byRest, ([rest, its]) => {
    const names = its.map((sentence) => sentence.slice(0, sentence.indexOf(':')));
    return `${names.join(' and ')}${rest}`;
  }).join('. ');
}
