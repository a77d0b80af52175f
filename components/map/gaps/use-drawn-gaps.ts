'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useMemo, useState } from 'react';
import { useLookout, useReplay, useValue } from '#lib/client/page/lookout-context.tsx';
import type { ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { bboxCovers } from '#lib/geo/bbox.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { useFeatures } from '../feature-layers.ts';
import { gapBoxes, gapLabels } from './gap-features.ts';
import { GAP_LAYERS } from './gap-layers.ts';
import { gapsAt, type LayerGap } from './gaps-at.ts';

export function useDrawnGaps(map: MapLibreMap | undefined, theme: BasemapTheme): void {
  const [gapsAtCursor] = useState(makeGapsAtCursor);
  const gaps = useReplay(gapsAtCursor);
  const area = useReplay((summary) => summary?.area);
  const { visible } = useValue(useLookout().mapView);
  const features = useMemo((): GeoJSON.FeatureCollection | undefined => {
    if (gaps.length === 0) return undefined;
    // A gap over the whole area needs only a label.
    const boxes = gapBoxes(gaps.filter(({ gap }) => !(area && bboxCovers(gap.bbox, area))));
    const labels = visible ? gapLabels(gaps, visible).features : [];
    return { type: 'FeatureCollection', features: [...boxes.features, ...labels] };
  }, [gaps, area, visible]);
  useFeatures(map, theme, GAP_LAYERS, features);
}

function makeGapsAtCursor(): (summary: ReplaySummary | undefined) => readonly LayerGap[] {
  let known: readonly LayerGap[] = [];
  return (summary) => {
    const gaps = summary ? gapsAt(summary, summary.playback.cursor) : [];
    if (gaps.length !== known.length || gaps.some(({ gap }, index) => gap !== known[index]?.gap)) known = gaps;
    return known;
  };
}
