'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { Preferences } from '#lib/client/page/preferences.ts';
import { isMeasured } from '#lib/client/request/user-timing.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { atMostEvery } from './at-most-every.ts';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { coveredOutline, showCoveredArea } from './drawn/covered-area.ts';
import { NO_FEATURES } from './drawn/feature-layers.ts';
import { LABELS_LAYER, useDrawnLabels } from './labels/use-drawn-labels.ts';
import { type MarksLayer, makeMarksLayer } from './marks/marks-layer.ts';
import { restoreCustomLayer } from './webgl/mercator-layer.ts';

/** A replay's picture changes every frame: too often for React. */
const COUNT_EVERY_MS = 200;

export interface DrawingOptions {
  readonly theme: BasemapTheme;
  readonly units: UnitSystem;
  readonly preferences: Pick<Preferences, 'labels' | 'labelSize' | 'markSize'>;
  readonly onFailure: (problem: string) => void;
}

export interface DrawnPicture {
  readonly ready: boolean;
  readonly drawn: number;
  readonly marks: MarksLayer;
}

export function useDrawnPicture(
  map: MapLibreMap | undefined,
  { theme, units, preferences, onFailure }: DrawingOptions,
): DrawnPicture {
  const { display, mapView } = useLookout();
  const [marks] = useState(() =>
    makeMarksLayer({
      theme,
      size: preferences.markSize,
      measure: isMeasured(),
      onFailure: (error) => onFailure(`The map cannot draw positions on this machine’s graphics: ${error.message}`),
    }),
  );
  const [drawn, setDrawn] = useState(0);
  const [ready, setReady] = useState(false);

  useDrawnLabels(map, { theme, units, preferences, onFailure });
  useEffect(() => (map ? restoreCustomLayer(map, marks, LABELS_LAYER) : undefined), [map, marks]);
  useEffect(() => marks.setTheme(theme), [marks, theme]);
  useEffect(() => marks.setSize(preferences.markSize), [marks, preferences.markSize]);

  useEffect(() => {
    if (!map) return;
    let shownArea: string | undefined;
    const draw = () => {
      const picture = display.picture();
      const { covered, capped } = display.summary();
      marks.setPicture(picture);
      // Compared by value: a replay's area is a new object in every summary.
      const area = capped ? covered.map(formatBbox).join(' ') : undefined;
      if (area !== shownArea) showCoveredArea(map, capped ? coveredOutline(covered) : NO_FEATURES);
      shownArea = area;
      // A change outside the view draws no frame.
      recount();
    };
    const recount = atMostEvery(COUNT_EVERY_MS, () => {
      const count = marks.drawnCount();
      setDrawn(count);
      if (count > 0) setReady(true);
    });
    draw();
    const stopEngine = display.subscribe(draw);
    const stopView = mapView.subscribe(draw);
    map.on('render', recount);
    return () => {
      stopEngine();
      stopView();
      map.off('render', recount);
      recount.stop();
    };
  }, [map, marks, display, mapView]);

  return { ready, drawn, marks };
}
