'use client';

import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { useFilter } from '#lib/client/page/lookout-context.tsx';
import { boxRing } from '#lib/geo/box-ring.ts';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { onEveryStyle } from './on-every-style.ts';

const AREA = 'filter-area';

/** The token `focus` of app/globals.css. */
const COLOUR: Readonly<Record<BasemapTheme, string>> = { dark: '#8cc8ff', light: '#0a66c2' };

/** Outlines the box of the filter; `DrawnArea` draws other areas. */
export function useFilterArea(map: MapLibreMap | undefined, theme: BasemapTheme): void {
  const { inside } = useFilter().filter;
  const latestTheme = useRef(theme);

  useEffect(() => {
    if (!map) return;
    const add = () => {
      if (map.getSource(AREA)) return;
      map.addSource(AREA, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
      map.addLayer(
        {
          id: AREA,
          type: 'line',
          source: AREA,
          paint: { 'line-color': COLOUR[latestTheme.current], 'line-width': 1.5, 'line-dasharray': [2, 2] },
        },
        map.getLayer('marks') ? 'marks' : undefined,
      );
    };
    return onEveryStyle(map, add);
  }, [map]);

  useEffect(() => {
    latestTheme.current = theme;
    if (map?.getLayer(AREA)) map.setPaintProperty(AREA, 'line-color', COLOUR[theme]);
  }, [map, theme]);

  useEffect(() => {
    if (!map) return;
    const box = inside === 'view' || (inside && 'kind' in inside) ? undefined : inside;
    const show = () => {
      map.getSource<GeoJSONSource>(AREA)?.setData({
        type: 'FeatureCollection',
        features: box
          ? [{ type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates: boxRing(box) } }]
          : [],
      });
    };
    return onEveryStyle(map, show);
  }, [map, inside]);
}
