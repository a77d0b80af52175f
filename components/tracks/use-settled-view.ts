'use client';

import { useEffect, useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { ViewState } from '#lib/client/page/map-state.ts';

const UPDATE_EVERY_MS = 250;

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
      timer ??= setTimeout(settle, UPDATE_EVERY_MS);
    });
    settle();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [mapView]);

  return settled;
}
