'use client';

import { useEffect } from 'react';
import { formatAddress } from '#lib/api/address-state.ts';
import { linkedRefs } from '#lib/model/selection.ts';
import { useLookout } from './lookout-context.tsx';

/** Browsers limit how often the address may change, so not in every frame of a replay. */
const REPLAY_EVERY_MS = 500;

/** Keeps the address bar in sync with the screen. Replaces the history entry, so that panning does not add entries. */
export function useAddressBar(): void {
  const { display, replay, mapView, layersOn, filter, colouring } = useLookout();
  useEffect(() => {
    let written = window.location.search;
    let writtenAtMs = Number.NEGATIVE_INFINITY;
    let later: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      const view = mapView.get();
      if (!view.visible) return;
      const { session } = replay;
      const waitMs = writtenAtMs + REPLAY_EVERY_MS - performance.now();
      if (session && waitMs > 0) {
        later ??= setTimeout(() => {
          later = undefined;
          write();
        }, waitMs);
        return;
      }
      const query = formatAddress({
        view,
        layers: layersOn.get(),
        selectedRefs: linkedRefs(display.summary().selection),
        filter: filter.get(),
        colouring: colouring.get(),
        replay: session && { ...session.playback, area: session.loadedArea },
      });
      if (query === written) return;
      written = query;
      writtenAtMs = performance.now();
      window.history.replaceState(window.history.state, '', `${window.location.pathname}${query}`);
    };
    const stops = [mapView, layersOn, filter, colouring, display].map((store) => store.subscribe(write));
    return () => {
      clearTimeout(later);
      for (const stop of stops) stop();
    };
  }, [display, replay, mapView, layersOn, filter, colouring]);
}
