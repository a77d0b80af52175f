'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { useDrawnMeasuring } from './use-drawn-measuring.ts';

export interface DrawnMeasuringProps {
  readonly map: MapLibreMap;
  readonly theme: BasemapTheme;
}

/** Measurements and range rings on the map. */
export function DrawnMeasuring({ map, theme }: DrawnMeasuringProps) {
  useDrawnMeasuring(map, theme);
  return null;
}
