'use client';

import { useEffect, useState } from 'react';
import { useLookout } from '#lib/client/lookout-context.tsx';
import type { Bbox } from '#lib/geo/bbox.ts';
import { growByPart } from '#lib/geo/grow-by-part.ts';

/** Asked beyond the edges of the view, so that marks do not appear and end exactly at its border. */
const MARGIN_PART = 0.1;
/** A map that is being moved is asked for once it rests. */
const REST_MS = 250;

/** What is asked for: the view with a margin, and the same while the view stays inside and is not much smaller. */
export function useLiveView(): Bbox | undefined {
  const { mapView } = useLookout();
  const [asked, setAsked] = useState<Bbox>();

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      const { visible } = mapView.get();
      if (!visible) return;
      clearTimeout(timer);
      setAsked((before) => {
        if (before === undefined) return growByPart(visible, MARGIN_PART);
        timer = setTimeout(() => setAsked(growByPart(visible, MARGIN_PART)), REST_MS);
        return before;
      });
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
