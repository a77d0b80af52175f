'use client';

import { useQuery } from '@tanstack/react-query';
import type { Map as MapLibreMap } from 'maplibre-gl';
import { useMemo } from 'react';
import { FIRST_COVERAGE } from '#lib/client/overview/coverage-choice.ts';
import { coverageQuery } from '#lib/client/overview/overview-query.ts';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { epochMs } from '#lib/time/instant.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { useFeatures } from '../feature-layers.ts';
import { coverageFeatures } from './coverage-features.ts';
import { COVERAGE_LAYERS } from './coverage-layers.ts';

export function DrawnCoverage({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const { coverage, feed } = useLookout();
  const shown = useValue(coverage);
  const { data } = useQuery({
    ...coverageQuery(shown ?? FIRST_COVERAGE, () => epochMs(feed.presumedNow())),
    enabled: shown !== undefined,
  });
  const counted = shown?.counted;
  const features = useMemo(
    () => (counted !== undefined && data ? coverageFeatures(data, counted) : undefined),
    [counted, data],
  );
  useFeatures(map, theme, COVERAGE_LAYERS, features);
  return null;
}
