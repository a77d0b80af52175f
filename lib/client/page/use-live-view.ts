'use client';

import { useEffect, useMemo, useState } from 'react';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { AskedView } from '../live/live-client.ts';
import { requestedArea, requestedAreaAround } from '../live/requested-area.ts';
import { useLookout, usePreferences } from './lookout-context.tsx';

/** Debounce of a moving map. */
const REST_MS = 250;

/** `undefined` before the map has a size; the first view has no delay. */
export function useLiveView(): AskedView | undefined {
  const { display, mapView, focus } = useLookout();
  const [{ homeArea }] = usePreferences();
  const [view, setView] = useState<AskedView>();

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isFirst = true;
    const follow = () => {
      const { visible, lon, lat } = mapView.get();
      if (!visible) return;
      clearTimeout(timer);
      const followed = focus.get().following === 'on' ? display.summary().selected?.position : undefined;
      const bbox = followed ? requestedAreaAround(visible, followed) : requestedArea(visible);
      const next = { bbox, centre: { lon: wrapLongitude(lon), lat } };
      timer = setTimeout(() => setView(next), isFirst ? 0 : REST_MS);
      isFirst = false;
    };
    follow();
    const stopView = mapView.subscribe(follow);
    const stopFocus = focus.subscribe(follow);
    return () => {
      clearTimeout(timer);
      stopView();
      stopFocus();
    };
  }, [display, mapView, focus]);
  return useMemo(() => view && { ...view, home: homeArea ?? undefined }, [view, homeArea]);
}
