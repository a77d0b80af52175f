'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useMemo } from 'react';
import { useFilter } from '#lib/client/page/lookout-context.tsx';
import { boxRing } from '#lib/geo/bbox.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { type FeatureLayers, TOKENS, useFeatures } from './feature-layers.ts';

const FILTER_AREA: FeatureLayers = {
  source: 'filter-area',
  layers: (theme) => ({
    below: [
      {
        id: 'filter-area',
        type: 'line',
        source: 'filter-area',
        paint: { 'line-color': TOKENS[theme].focus, 'line-width': 1.5, 'line-dasharray': [2, 2] },
      },
    ],
  }),
};

/** Draws the filter's area if it is a box. `DrawnArea` draws other shapes. */
export function useFilterArea(map: MapLibreMap | undefined, theme: BasemapTheme): void {
  const { inside } = useFilter().filter;
  const outline = useMemo((): GeoJSON.LineString | undefined => {
    if (!inside || inside === 'view' || 'kind' in inside) return undefined;
    return { type: 'LineString', coordinates: boxRing(inside) };
  }, [inside]);
  useFeatures(map, theme, FILTER_AREA, outline);
}
