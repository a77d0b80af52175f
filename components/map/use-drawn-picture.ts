'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { Preferences } from '#lib/client/page/preferences.ts';
import { isMeasured } from '#lib/client/request/user-timing.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { atMostEvery } from './at-most-every.ts';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { coveredOutline, showCoveredArea } from './drawn/covered-area.ts';
import { NO_FEATURES } from './drawn/feature-layers.ts';
import { makeLabelsLayer } from './labels/labels-layer.ts';
import type { ScreenCamera } from './labels/place-labels.ts';
import { TrackLabels } from './labels/track-labels.ts';
import { markLook } from './marks/mark-size.ts';
import { type MarksLayer, makeMarksLayer } from './marks/marks-layer.ts';
import type { ReportProblem } from './use-map-problems.ts';
import { graphicsProblem, restoreCustomLayer } from './webgl/mercator-layer.ts';

const LABELS_LAYER = 'track-labels';

/** A replay's picture changes every frame: too often for React. */
const COUNT_EVERY_MS = 200;
/** Replays and zooms have a new picture every frame: too often to place labels. */
const PLACE_EVERY_MS = 100;
const TEXT_PX: Readonly<Record<Preferences['labelSize'], number>> = { small: 9, normal: 10, large: 13 };

export interface DrawnPicture {
  /** Whether any mark has been drawn. */
  readonly ready: boolean;
  /** How many marks are drawn. */
  readonly drawn: number;
  readonly marks: MarksLayer;
}

/**
 * Draws each picture of the display as it comes: its marks, their labels, and the area that it covers if it is capped.
 * React renders only the number of marks, a few times a second.
 */
export function useDrawnPicture(
  map: MapLibreMap | undefined,
  theme: BasemapTheme,
  report: ReportProblem,
): DrawnPicture {
  const { display, mapView } = useLookout();
  const [{ markSize }] = usePreferences();
  const [marks] = useState(() =>
    makeMarksLayer({
      theme,
      size: markSize,
      measure: isMeasured(),
      onFailure: (error) => report('marks', graphicsProblem('positions', error)),
    }),
  );
  const [drawn, setDrawn] = useState(0);
  const [ready, setReady] = useState(false);

  useDrawnLabels(map, theme, report);
  useEffect(() => (map ? restoreCustomLayer(map, marks, LABELS_LAYER) : undefined), [map, marks]);
  useEffect(() => marks.setTheme(theme), [marks, theme]);
  useEffect(() => marks.setSize(markSize), [marks, markSize]);

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
    const stopDisplay = display.subscribe(draw);
    const stopView = mapView.subscribe(draw);
    map.on('render', recount);
    return () => {
      stopDisplay();
      stopView();
      map.off('render', recount);
      recount.stop();
    };
  }, [map, marks, display, mapView]);

  return { ready, drawn, marks };
}

/** In a replay labels follow their marks in each frame, and are chosen again now and then. */
function useDrawnLabels(map: MapLibreMap | undefined, theme: BasemapTheme, report: ReportProblem): void {
  const { display, mapView } = useLookout();
  const [{ labels: level, labelSize, markSize, units }] = usePreferences();
  const [labels] = useState(() => new TrackLabels());
  const [fonts, setFonts] = useState(0);
  const [layer] = useState(() =>
    makeLabelsLayer({
      id: LABELS_LAYER,
      theme,
      textPx: TEXT_PX[labelSize],
      onFailure: (error) => report('labels', graphicsProblem('labels', error)),
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
