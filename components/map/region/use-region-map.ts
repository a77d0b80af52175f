'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { MapDimming } from '#lib/client/page/preferences.ts';
import { BUILT_IN_MAP, chosenMap, NO_REGION_MAP, type RegionMapState } from '#lib/client/page/region-map.ts';
import { NO_ANSWER_MESSAGE } from '#lib/client/request/refusal-message.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import type { ShownRegion } from './shown-region.ts';

const DIMMING: Readonly<Record<MapDimming, number>> = { none: 0, half: 0.5, strong: 1 };

/**
 * Shows the region's map that the operator has chosen, or else the first.
 * @param publish takes the state; default: the page's
 * @returns how far the ground is dimmed: 0 to 1
 */
export function useRegionMap(
  map: MapLibreMap | undefined,
  theme: BasemapTheme,
  publish?: (state: RegionMapState) => void,
): number {
  const { regionMap, server } = useLookout();
  const setState = publish ?? regionMap.set;
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
      setState({ kind: 'opening' });
      import('./shown-region.ts').then(
        ({ ShownRegion: Shown }) => {
          if (!isOver) shown.current = new Shown(map, name, look.current, setState);
        },
        () => {
          if (!isOver) setState({ kind: 'failed', name, problem: NO_ANSWER_MESSAGE });
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
      setState(NO_REGION_MAP);
    };
  }, [map, name, setState]);

  return dimming;
}
