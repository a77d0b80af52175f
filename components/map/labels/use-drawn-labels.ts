'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { Preferences } from '#lib/client/page/preferences.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { atMostEvery } from '../at-most-every.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { markLook } from '../marks/mark-size.ts';
import { restoreCustomLayer } from '../webgl/mercator-layer.ts';
import { makeLabelsLayer } from './labels-layer.ts';
import type { ScreenCamera } from './place-labels.ts';
import { TrackLabels } from './track-labels.ts';

export const LABELS_LAYER = 'track-labels';

/** Replays and zooms have a new picture every frame: too often to place labels. */
const PLACE_EVERY_MS = 100;
const TEXT_PX: Readonly<Record<Preferences['labelSize'], number>> = { small: 9, normal: 10, large: 13 };

export interface LabelDrawing {
  readonly theme: BasemapTheme;
  readonly units: UnitSystem;
  readonly preferences: Pick<Preferences, 'labels' | 'labelSize' | 'markSize'>;
  readonly onFailure: (problem: string) => void;
}

export function useDrawnLabels(map: MapLibreMap | undefined, options: LabelDrawing): void {
  const { theme, units, onFailure } = options;
  const { labels: level, labelSize, markSize } = options.preferences;
  const { display, mapView } = useLookout();
  const [labels] = useState(() => new TrackLabels());
  const [fonts, setFonts] = useState(0);
  const [layer] = useState(() =>
    makeLabelsLayer({
      id: LABELS_LAYER,
      theme,
      textPx: TEXT_PX[labelSize],
      onFailure: (error) => onFailure(`The map cannot draw labels on this machine’s graphics: ${error.message}`),
      onFont: () => setFonts((count) => count + 1),
    }),
  );

  useEffect(() => (map ? restoreCustomLayer(map, layer) : undefined), [map, layer]);
  useEffect(() => layer.setTheme(theme), [layer, theme]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a font that has arrived has other widths.
  useEffect(() => {
    if (!map) return;
    layer.setTextPx(TEXT_PX[labelSize]);
    const place = () => {
      const look = markLook(map.getZoom(), markSize);
      const options = { level, units, metrics: layer.metrics(), look };
      layer.setLabels(labels.place(display.picture(), display.tracks, cameraOf(map), options));
    };
    const placeSometimes = atMostEvery(PLACE_EVERY_MS, place);
    const draw = () => {
      if (!display.summary().isPast) return place();
      layer.setLabels(labels.follow(display.picture()));
      placeSometimes();
    };
    place();
    const stopDisplay = display.subscribe(draw);
    const stopView = mapView.subscribe(place);
    map.on('zoom', placeSometimes);
    map.on('rotate', placeSometimes);
    return () => {
      stopDisplay();
      stopView();
      map.off('zoom', placeSometimes);
      map.off('rotate', placeSometimes);
      placeSometimes.stop();
    };
  }, [map, layer, labels, display, mapView, level, units, labelSize, markSize, fonts]);
}

function cameraOf(map: MapLibreMap): ScreenCamera {
  const { lng, lat } = map.getCenter();
  const { clientWidth, clientHeight } = map.getCanvas();
  return {
    x: mercatorX(lng),
    y: mercatorY(lat),
    zoom: map.getZoom(),
    bearingDeg: map.getBearing(),
    widthPx: clientWidth,
    heightPx: clientHeight,
  };
}
