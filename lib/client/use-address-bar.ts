'use client';

import { useEffect } from 'react';
import { formatAddress } from './address-state.ts';
import { useLookout } from './lookout-context.tsx';

/** Keeps the address bar saying what is on screen. It replaces and never pushes: panning leaves no trail of pages. */
export function useAddressBar(): void {
  const { engine, mapView, layersOn } = useLookout();
  useEffect(() => {
    let written = window.location.search;
    const write = () => {
      const view = mapView.get();
      if (!view.visible) return;
      const query = formatAddress({ view, layers: layersOn.get(), selectedRef: engine.summary().selectedRef });
      if (query === written) return;
      written = query;
      window.history.replaceState(window.history.state, '', `${window.location.pathname}${query}`);
    };
    const stops = [mapView.subscribe(write), layersOn.subscribe(write), engine.subscribe(write)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [engine, mapView, layersOn]);
}
