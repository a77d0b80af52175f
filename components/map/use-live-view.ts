'use client';

import { useEffect, useState } from 'react';
import { useLookout } from '#lib/client/lookout-context.tsx';
import type { Bbox } from '#lib/geo/bbox.ts';
import { askedArea } from './asked-area.ts';

/** A map that is being moved is asked for once it rests. */
const REST_MS = 250;

/** The area to ask for; `undefined` before the map has drawn. The first is asked for at once. */
export function useLiveView(): Bbox | undefined {
  const { mapView } = useLookout();
  const [asked, setAsked] = useState<Bbox>();

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isFirst = true;
    const follow = () => {
      const { visible, lat } = mapView.get();
      if (!visible) return;
      clearTimeout(timer);
      timer = setTimeout(() => setAsked(askedArea(visible, lat)), isFirst ? 0 : REST_MS);
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
