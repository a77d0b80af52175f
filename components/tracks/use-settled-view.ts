'use client';

import { useEffect, useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { ViewState } from '#lib/client/page/view-state.ts';

/** A moving map reports every frame; a list of thousands follows it this often. */
const everyMs = 250;

/** Where the map stands, at most a few times a second and always in the end. */
export function useSettledView(): ViewState {
  const { mapView } = useLookout();
  const [settled, setSettled] = useState(mapView.get);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      timer = undefined;
      setSettled(mapView.get());
    };
    const stop = mapView.subscribe(() => {
      timer ??= setTimeout(settle, everyMs);
    });
    settle();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [mapView]);

  return settled;
}
