'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { MapDimming } from '#lib/client/page/preferences.ts';
import { BUILT_IN_MAP, chosenMap, NO_REGION_MAP } from '#lib/client/page/region-map.ts';
import { NO_ANSWER_MESSAGE } from '#lib/client/request/refusal-message.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import type { ShownRegion } from './shown-region.ts';

const DIMMING: Readonly<Record<MapDimming, number>> = { none: 0, half: 0.5, strong: 1 };

/**
 * Shows the region's map that the operator has chosen, or else the first.
 * @returns how far the ground is dimmed: 0 to 1
 */
export function useRegionMap(map: MapLibreMap | undefined, theme: BasemapTheme): number {
  const { regionMap, server } = useLookout();
  const { maps } = server;
  const [{ map: preferred, mapDimming, namesOverPictures }] = usePreferences();
  const name = chosenMap(maps, preferred);
  const dimming = DIMMING[mapDimming[name ?? BUILT_IN_MAP] ?? 'none'];
  const look = useRef({ theme, dimming, namesOverPictures });
  const shown = useRef<ShownRegion>(undefined);

  useEffect(() => {
    look.current = { theme, dimming, namesOverPictures };
    shown.current?.setLook(look.current);
  }, [theme, dimming, namesOverPictures]);

  useEffect(() => {
    if (!map || name === undefined) return;
    let isOver = false;
    const show = () => {
      regionMap.set({ kind: 'opening' });
      import('./shown-region.ts').then(
        ({ ShownRegion: Shown }) => {
          if (!isOver) shown.current = new Shown(map, name, look.current, regionMap.set);
        },
        () => {
          if (!isOver) regionMap.set({ kind: 'failed', name, problem: NO_ANSWER_MESSAGE });
        },
      );
    };
    // Retries a region that could not be loaded; a loaded one retries by itself.
    const retry = () => {
      if (!shown.current) show();
    };
    show();
    window.addEventListener('online', retry);
    return () => {
      isOver = true;
      window.removeEventListener('online', retry);
      shown.current?.close();
      shown.current = undefined;
      regionMap.set(NO_REGION_MAP);
    };
  }, [map, name, regionMap]);

  return dimming;
}
