'use client';

import { useEffect } from 'react';
import { formatAddress, parseAddress } from '#lib/api/address-state.ts';
import { linkedRefs } from '#lib/model/selection.ts';
import { useLookout } from './lookout-context.tsx';
import { enterReplay } from './replay/enter-replay.ts';

/** Browsers limit how often the address may change: not in every frame of a replay. */
const REPLAY_EVERY_MS = 500;

/** Entering and leaving a replay add a history entry; everything else replaces it. */
export function useAddressBar(): void {
  const lookout = useLookout();
  useEffect(() => {
    const { display, replay, mapView, layersOn, filter, colouring, linkedReplay } = lookout;
    const { pathname } = window.location;
    let written = window.location.search;
    let writtenAtMs = Number.NEGATIVE_INFINITY;
    let later: ReturnType<typeof setTimeout> | undefined;
    let isOpening = linkedReplay !== undefined;
    let isReplayEntry = isOpening;

    const write = () => {
      const view = mapView.get();
      const { session } = replay;
      if (session) isOpening = false;
      if (!view.visible || isOpening) return;
      const isSwitching = isReplayEntry !== (session !== undefined);
      const waitMs = writtenAtMs + REPLAY_EVERY_MS - performance.now();
      if (session && !isSwitching && waitMs > 0) {
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
      isReplayEntry = session !== undefined;
      if (!isSwitching && query === written) return;
      written = query;
      writtenAtMs = performance.now();
      const { history } = window;
      const address = `${pathname}${query}`;
      if (isSwitching) history.pushState(history.state, '', address);
      else history.replaceState(history.state, '', address);
    };

    const onTraversed = (event: PopStateEvent) => {
      if (window.location.pathname !== pathname) return;
      // The router would restore the address that this entry had.
      event.stopImmediatePropagation();
      const linked = parseAddress(window.location.search).state.replay;
      written = window.location.search;
      isReplayEntry = linked !== undefined;
      if (linked && !replay.session) enterReplay(lookout, linked);
      else if (!linked) replay.leave();
      write();
    };

    const stops = [mapView, layersOn, filter, colouring, display].map((store) => store.subscribe(write));
    window.addEventListener('popstate', onTraversed, { capture: true });
    return () => {
      clearTimeout(later);
      window.removeEventListener('popstate', onTraversed, { capture: true });
      for (const stop of stops) stop();
    };
  }, [lookout]);
}
