'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useMemo } from 'react';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { useZoneLooks } from '#lib/client/page/use-zone-looks.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { useFeatures } from '../feature-layers.ts';
import { zoneFeatures } from './zone-features.ts';
import { ZONE_LAYERS } from './zone-layers.ts';

/** In a replay, the zones of its time. */
export function DrawnZones({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const { zones: desk } = useLookout();
  const changed = useValue(desk.draft)?.before?.id;
  const { zones, lookOf } = useZoneLooks();
  const features = useMemo(() => {
    // Its draft is drawn instead.
    const shown = zones.filter(({ id }) => id !== changed);
    return shown.length > 0 ? zoneFeatures(shown, lookOf) : undefined;
  }, [zones, changed, lookOf]);
  useFeatures(map, theme, ZONE_LAYERS, features);
  return null;
}
