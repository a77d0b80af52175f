'use client';

import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import type { Map as MapLibreMap } from 'maplibre-gl';
import { useMemo } from 'react';
import type { OverlayContent } from '#lib/api/overlay.ts';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { overlayQuery, overlaysQuery } from '#lib/client/views/overlays-query.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { useFeatures } from '../feature-layers.ts';
import { overlayFeatures } from './overlay-features.ts';
import { OVERLAY_LAYERS } from './overlay-layers.ts';

export interface DrawnOverlaysProps {
  readonly map: MapLibreMap;
  readonly theme: BasemapTheme;
}

export function DrawnOverlays({ map, theme }: DrawnOverlaysProps) {
  const [{ hiddenOverlays }] = usePreferences();
  const { data } = useQuery(overlaysQuery());
  const shown = data?.overlays.filter(({ id }) => !hiddenOverlays.includes(id)) ?? [];
  const contents = useQueries({
    queries: shown.map(({ id }) => overlayQuery(id)),
    combine: contentsOf,
  });
  const features = useMemo(() => (contents.length > 0 ? overlayFeatures(contents) : undefined), [contents]);
  useFeatures(map, theme, OVERLAY_LAYERS, features);
  return null;
}

/** Stable, so that its result is computed only for new answers. */
function contentsOf(results: readonly UseQueryResult<OverlayContent>[]): OverlayContent[] {
  return results.flatMap(({ data }) => data ?? []);
}
