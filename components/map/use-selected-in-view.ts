'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { nearestCopy } from '#lib/geo/longitude.ts';
import { panIntoView } from './pan-into-view.ts';

const MARGIN_PX = 48;

/** Keeps the selected mark in view when the map shrinks, for example above a small screen's sheet. */
export function useSelectedInView(map: MapLibreMap | undefined): void {
  const { display } = useLookout();
  useEffect(() => {
    if (!map) return;
    const sizeNow = () => ({ width: map.getContainer().clientWidth, height: map.getContainer().clientHeight });
    let before = sizeNow();
    const onResize = () => {
      const now = sizeNow();
      const { selected } = display.summary();
      if (selected) {
        const { lon, lat } = selected.position;
        const middle = map.getCenter().lng;
        const nearest = nearestCopy(lon, middle);
        const by = panIntoView(map.project([nearest, lat]), before, now, MARGIN_PX);
        if (by[0] !== 0 || by[1] !== 0) map.panBy(by);
      }
      before = now;
    };
    map.on('resize', onResize);
    return () => {
      map.off('resize', onResize);
    };
  }, [map, display]);
}
