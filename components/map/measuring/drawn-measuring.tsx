'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import { NOTHING_READ } from '#lib/client/measuring/measuring-reading.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { onEveryStyle } from '../on-every-style.ts';
import { measuringFeatures } from './measuring-features.ts';
import { addMeasuringLayers, recolourMeasuring, showMeasuring } from './measuring-layers.ts';

export interface DrawnMeasuringProps {
  readonly map: MapLibreMap;
  readonly theme: BasemapTheme;
}

/** Measurements and range rings on the map, live and in a replay. */
export function DrawnMeasuring({ map, theme }: DrawnMeasuringProps) {
  const { measuring } = useLookout();
  const [{ units, ringRadii }] = usePreferences();
  const { tool } = useValue(measuring.state);
  const radii = ringRadii[units];

  useEffect(() => {
    const draw = () => {
      const reading = measuring.reading.get();
      if (reading !== NOTHING_READ) addMeasuringLayers(map, theme, 'marks');
      showMeasuring(map, measuringFeatures(reading, units, radii));
    };
    recolourMeasuring(map, theme);
    const stopStyle = onEveryStyle(map, draw);
    const stopReading = measuring.reading.subscribe(draw);
    return () => {
      stopStyle();
      stopReading();
    };
  }, [map, theme, measuring, units, radii]);

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
