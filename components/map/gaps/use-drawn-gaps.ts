'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { useIsReplaying, useLookout } from '#lib/client/page/lookout-context.tsx';
import { type Bbox, bboxCovers } from '#lib/geo/bbox.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { onEveryStyle } from '../on-every-style.ts';
import { gapBoxes } from './gap-boxes.ts';
import { gapLabels } from './gap-labels.ts';
import { addGapLayers, recolourGapLayers, showGapBoxes, showGapLabels } from './gap-layers.ts';
import { gapsAt, type LayerGap } from './gaps-at.ts';

/** Shows on the map where the replay is incomplete at the cursor. */
export function useDrawnGaps(map: MapLibreMap | undefined, theme: BasemapTheme): void {
  const { replay, mapView } = useLookout();
  const isReplaying = useIsReplaying();
  const latestTheme = useRef(theme);

  useEffect(() => {
    latestTheme.current = theme;
    if (map) recolourGapLayers(map, theme);
  }, [map, theme]);

  useEffect(() => {
    if (!map) return;
    return onEveryStyle(map, () => addGapLayers(map, latestTheme.current, 'marks'));
  }, [map]);

  useEffect(() => {
    if (!map || !isReplaying) return;
    let shown: readonly LayerGap[] = [];
    const label = () => {
      const { visible } = mapView.get();
      if (visible) showGapLabels(map, gapLabels(shown, visible));
    };
    const show = (gaps: readonly LayerGap[], area: Bbox | undefined) => {
      // The cursor moves with every frame, the gaps hardly ever change.
      if (isSame(gaps, shown)) return;
      shown = gaps;
      // A gap over the whole area needs no box: the label is enough, and the map stays readable.
      showGapBoxes(map, gapBoxes(gaps.filter(({ gap }) => !(area && bboxCovers(gap.bbox, area)))));
      label();
    };
    const follow = () => {
      const summary = replay.summary();
      show(summary ? gapsAt(summary, summary.playback.cursor) : [], summary?.area);
    };
    follow();
    const stopReplay = replay.subscribe(follow);
    const stopView = mapView.subscribe(label);
    return () => {
      stopReplay();
      stopView();
      show([], undefined);
    };
  }, [map, mapView, replay, isReplaying]);
}

function isSame(some: readonly LayerGap[], others: readonly LayerGap[]): boolean {
  return some.length === others.length && some.every(({ gap }, index) => gap === others[index]?.gap);
}
