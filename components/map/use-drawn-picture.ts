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
import { type MarksLayer, makeMarksLayer } from './marks/marks-layer.ts';
import { BELOW_TRACK_LABELS, showTrackLabels, showWatchedArea } from './overlay-layers.ts';
import { trackLabels } from './track-labels.ts';
import { NO_WATCHED_AREA, watchedArea } from './watched-outline.ts';
import { keepCustomLayer } from './webgl/keep-custom-layer.ts';

/** In a replay the picture changes with every frame: too often to lay out labels, or to render React. */
const LABEL_EVERY_MS = 100;
const COUNT_EVERY_MS = 200;

export interface DrawingOptions {
  readonly theme: BasemapTheme;
  readonly units: UnitSystem;
  readonly labels: Preferences['labels'];
  readonly onFailure: (problem: string) => void;
}

export interface DrawnPicture {
  /** True once the first positions were drawn. */
  readonly ready: boolean;
  /** Marks in the last frame. */
  readonly drawn: number;
  readonly marks: MarksLayer;
}

/** Draws the display's marks, labels and watched frame on the map. */
export function useDrawnPicture(
  map: MapLibreMap | undefined,
  { theme, units, labels, onFailure }: DrawingOptions,
): DrawnPicture {
  const { display, mapView } = useLookout();
  const [marks] = useState(() =>
    makeMarksLayer({
      theme,
      measure: isMeasured(),
      onFailure: (error) => onFailure(`The map cannot draw positions on this machine’s graphics: ${error.message}`),
    }),
  );
  const [drawn, setDrawn] = useState(0);
  const [ready, setReady] = useState(false);

  useEffect(() => (map ? keepCustomLayer(map, marks, BELOW_TRACK_LABELS) : undefined), [map, marks]);
  useEffect(() => marks.setTheme(theme), [marks, theme]);

  useEffect(() => {
    if (!map) return;
    let shownArea: string | undefined;
    let shownLabels: string | undefined;
    const label = atMostEvery(LABEL_EVERY_MS, () => {
      const { visible } = mapView.get();
      if (!visible) return;
      const collection = trackLabels(display.picture(), display.tracks, visible, labels, units);
      // Marks fade every second, but labels change only with what is received, and laying them out costs frames.
      const features = JSON.stringify(collection.features);
      if (features !== shownLabels) showTrackLabels(map, collection);
      shownLabels = features;
    });
    const draw = () => {
      const picture = display.picture();
      const { covered, capped } = display.summary();
      marks.setPicture(picture);
      label();
      // Compared by value: a replay's area is a new object in every summary.
      const area = capped ? covered.map(formatBbox).join(' ') : undefined;
      if (area !== shownArea) showWatchedArea(map, capped ? watchedArea(covered) : NO_WATCHED_AREA);
      shownArea = area;
    };
    const afterFrame = atMostEvery(COUNT_EVERY_MS, () => {
      const count = marks.drawnCount();
      setDrawn(count);
      if (count > 0) setReady(true);
    });
    draw();
    const stopEngine = display.subscribe(draw);
    const stopView = mapView.subscribe(draw);
    map.on('render', afterFrame);
    return () => {
      stopEngine();
      stopView();
      map.off('render', afterFrame);
      label.stop();
      afterFrame.stop();
    };
  }, [map, marks, display, mapView, labels, units]);

  return { ready, drawn, marks };
}
