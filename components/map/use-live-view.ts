'use client';

import { useEffect, useState } from 'react';
import type { AskedView } from '#lib/client/live/live-client.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { askedArea } from './asked-area.ts';

/** A map that is being moved is asked for once it rests. */
const REST_MS = 250;

/** The view to ask for; `undefined` before the map has drawn. The first is asked for at once. */
export function useLiveView(): AskedView | undefined {
  const { mapView } = useLookout();
  const [asked, setAsked] = useState<AskedView>();

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isFirst = true;
    const follow = () => {
      const { visible, lon, lat } = mapView.get();
      if (!visible) return;
      clearTimeout(timer);
      const view = { bbox: askedArea(visible), centre: { lon: wrapLongitude(lon), lat } };
      timer = setTimeout(() => setAsked(view), isFirst ? 0 : REST_MS);
      isFirst = false;
    };
    follow();
    const stop = mapView.subscribe(follow);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [mapView]);
  return asked;
}
