'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import { NOTHING_READ } from '#lib/client/measuring/measuring-reading.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { measuringFeatures } from './measuring-features.ts';
import { addMeasuringLayers, recolourMeasuring, showMeasuring } from './measuring-layers.ts';

/** Draws measurements and range rings, live and in a replay. */
export function useDrawnMeasuring(map: MapLibreMap | undefined, theme: BasemapTheme): void {
  const { measuring } = useLookout();
  const [{ units, ringRadii }] = usePreferences();
  const { tool } = useValue(measuring.state);
  const radii = ringRadii[units];

  useEffect(() => {
    if (!map) return;
    const draw = () => {
      const reading = measuring.reading.get();
      if (reading !== NOTHING_READ) addMeasuringLayers(map, theme, 'marks');
      showMeasuring(map, measuringFeatures(reading, units, radii));
    };
    recolourMeasuring(map, theme);
    draw();
    const stop = measuring.reading.subscribe(draw);
    // A new style, and a lost graphics context, drop source and layers.
    map.on('style.load', draw);
    return () => {
      stop();
      map.off('style.load', draw);
    };
  }, [map, theme, measuring, units, radii]);

  useEffect(() => {
    if (!map || tool === undefined) return;
    // Two quick clicks are two points.
    map.doubleClickZoom.disable();
    return () => {
      map.doubleClickZoom.enable();
    };
  }, [map, tool]);
}
