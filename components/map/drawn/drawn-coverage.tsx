'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useMemo } from 'react';
import { useMapCoverage } from '#lib/client/overview/use-map-coverage.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { COVERAGE_LAYERS, coverageFeatures } from './coverage-features.ts';
import { useFeatures } from './feature-layers.ts';

export function DrawnCoverage({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const { choice, data } = useMapCoverage();
  const counted = choice?.counted;
  const features = useMemo(
    () => (counted !== undefined && data ? coverageFeatures(data, counted) : undefined),
    [counted, data],
  );
  useFeatures(map, theme, COVERAGE_LAYERS, features);
  return null;
}
