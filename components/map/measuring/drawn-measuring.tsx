'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useMemo } from 'react';
import { NOTHING_READ } from '#lib/client/measuring/measuring-reading.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { useFeatures } from '../feature-layers.ts';
import { measuringFeatures } from './measuring-features.ts';
import { MEASURING_LAYERS } from './measuring-layers.ts';

export interface DrawnMeasuringProps {
  readonly map: MapLibreMap;
  readonly theme: BasemapTheme;
}

export function DrawnMeasuring({ map, theme }: DrawnMeasuringProps) {
  const { measuring } = useLookout();
  const [{ units, ringRadii }] = usePreferences();
  const { tool } = useValue(measuring.state);
  const radii = ringRadii[units];

  const reading = useValue(measuring.reading);
  const features = useMemo(
    () => (reading === NOTHING_READ ? undefined : measuringFeatures(reading, units, radii)),
    [reading, units, radii],
  );
  useFeatures(map, theme, MEASURING_LAYERS, features);

  useEffect(() => {
    if (tool === undefined) return;
    // Two quick clicks are two points.
    map.doubleClickZoom.disable();
    return () => {
      map.doubleClickZoom.enable();
    };
  }, [map, tool]);

  return null;
}
