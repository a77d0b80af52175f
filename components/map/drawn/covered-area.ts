'use client';

import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { type Bbox, boxRing, eastPastWest, formatBbox, joinAtAntimeridian } from '#lib/geo/bbox.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { recolourLayers } from '../basemap/basemap-style.ts';
import { drawFeatures, type FeatureLayers, NO_FEATURES, TOKENS } from './feature-layers.ts';

const SOURCE = 'covered';

/** The lowest layer above any basemap. */
export const BELOW_COVERED_AREA = 'covered-shade';

const SHADE = { dark: '#05080c', light: TOKENS.light.dim } as const;

const COVERED_LAYERS: FeatureLayers = {
  source: SOURCE,
  layers: (theme) => ({
    below: [
      {
        id: BELOW_COVERED_AREA,
        type: 'fill',
        source: SOURCE,
        // A closed line would be filled too.
        filter: ['==', ['geometry-type'], 'Polygon'],
        // Antialiased edges of adjoining rectangles would show as lines.
        paint: { 'fill-color': SHADE[theme], 'fill-opacity': 0.5, 'fill-antialias': false },
      },
      {
        id: 'covered-frame',
        type: 'line',
        source: SOURCE,
        filter: ['==', ['geometry-type'], 'LineString'],
        paint: { 'line-color': TOKENS[theme].dim, 'line-width': 1.5, 'line-dasharray': [6, 3] },
      },
    ],
  }),
};

/** Adds the layers of the covered area, unless the style already has them. */
export function addCoveredLayers(map: MapLibreMap, theme: BasemapTheme): void {
  if (!map.getSource(SOURCE)) drawFeatures(map, theme, COVERED_LAYERS, NO_FEATURES);
}

/** Draws the covered area of a capped picture: a frame around it, and shade over everything else, which was not requested. */
export function useCoveredArea(map: MapLibreMap | undefined, theme: BasemapTheme): void {
  const { display, mapView } = useLookout();
  useEffect(() => {
    if (map) recolourLayers(map, COVERED_LAYERS.layers(theme).below);
  }, [map, theme]);
  useEffect(() => {
    if (!map) return;
    let shown: string | undefined;
    const draw = () => {
      const { covered, capped } = display.summary();
      // The area is compared by value: a replay's area is a new object in every summary.
      const area = capped ? covered.map(formatBbox).join(' ') : undefined;
      if (area === shown) return;
      shown = area;
      map.getSource<GeoJSONSource>(SOURCE)?.setData(capped ? coveredOutline(covered) : NO_FEATURES);
    };
    draw();
    const stops = [display.subscribe(draw), mapView.subscribe(draw)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [map, display, mapView]);
}

/**
 * A frame line, and shade polygons over everything else.
 * @param covered one box, or the western then the eastern half of a box across 180°, with one frame
 */
export function coveredOutline(
  covered: readonly Bbox[],
): GeoJSON.FeatureCollection<GeoJSON.LineString | GeoJSON.Polygon> {
  const whole = joinAtAntimeridian(covered);
  if (!whole) return { type: 'FeatureCollection', features: [] };
  const { west, south, north } = whole;
  const east = eastPastWest(whole);
  // biome-ignore lint/plugin: one world width on, where no longitude is wrapped
  const around = west + 360;
  const geometries: (GeoJSON.LineString | GeoJSON.Polygon)[] = [
    { type: 'LineString', coordinates: boxRing(whole) },
    // The shade lies within one world width from the area's western edge.
    rectangle(west, north, around, 90),
    rectangle(west, -90, around, south),
    rectangle(east, south, around, north),
  ];
  return {
    type: 'FeatureCollection',
    features: geometries.map((geometry) => ({ type: 'Feature', properties: {}, geometry })),
  };
}

function rectangle(west: number, south: number, east: number, north: number): GeoJSON.Polygon {
  return { type: 'Polygon', coordinates: [boxRing({ west, south, east, north })] };
}
