'use client';

import { useEffect } from 'react';
import { type AddressState, formatAddress, liveAddress, parseAddress } from '#lib/api/address-state.ts';
import { LAYERS } from '#lib/model/position.ts';
import { linkedRefs, selectionOf } from '#lib/model/selection.ts';
import { sessionStore } from '../browser/storage.ts';
import { storedLoad } from '../replay/stored-replay.ts';
import { enterReplay } from './enter-replay.ts';
import type { Lookout } from './lookout.ts';
import { useLookout } from './lookout-context.tsx';
import { keepMapAddress } from './page-desk.ts';
import { isReload } from './use-window-state.ts';

/** Browsers limit how often the address may change: not in every frame of a replay. */
const REPLAY_EVERY_MS = 500;

/**
 * The address bar and the page are the same state: a link opens the page as its sender saw it, and the address follows
 * what the operator does. Entering and leaving a replay add a history entry; everything else replaces it.
 */
export function useAddressBar(): void {
  const lookout = useLookout();
  useEffect(() => {
    const { display, replay, mapView, layersOn, filter, colouring, link } = lookout;
    const { pathname } = window.location;
    let written = window.location.search;
    let writtenAtMs = Number.NEGATIVE_INFINITY;
    let later: ReturnType<typeof setTimeout> | undefined;
    let isOpening = link.replay !== undefined;
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
    window.addEventListener('pagehide', keepMapAddress);
    return () => {
      clearTimeout(later);
      window.removeEventListener('popstate', onTraversed, { capture: true });
      window.removeEventListener('pagehide', keepMapAddress);
      for (const stop of stops) stop();
    };
  }, [lookout]);
}

/**
 * Opens the replay of the page's address, once the map has drawn. A load that a reload broke off goes on within its
 * accepted price.
 */
export function useLinkedReplay(): void {
  const lookout = useLookout();
  useEffect(() => {
    const { link, mapView } = lookout;
    const linkedReplay = link.replay;
    if (!linkedReplay) return;
    const acceptedMax = isReload() ? storedLoad(sessionStore, linkedReplay.window) : undefined;
    const open = () => {
      if (!mapView.get().visible) return;
      stop();
      enterReplay(lookout, { ...linkedReplay, acceptedMax });
    };
    const stop = mapView.subscribe(open);
    open();
    return stop;
  }, [lookout]);
}

/** The type requires every part of a link. */
type Openers = { readonly [Part in keyof AddressState]: (lookout: Lookout, value: AddressState[Part]) => void };

/** A replay is opened last, of what the map shows by then. */
const open: Openers = {
  view: ({ mapCommands }, view) => view && mapCommands.run({ kind: 'show-view', view }),
  layers: ({ layersOn }, layers) => layersOn.open(layers ?? new Set(LAYERS)),
  filter: ({ filter: shown }, filter) => shown.open(filter),
  colouring: ({ colouring }, value) => colouring.set(value),
  selectedRefs: ({ display }, refs) => display.setSelection(selectionOf(refs)),
  replay: (lookout, linked) => {
    if (linked) enterReplay(lookout, linked);
    else lookout.replay.leave();
  },
};

/** @returns the names of parameters that were ignored */
export function openLink(lookout: Lookout, query: string): readonly string[] {
  const { state, ignored } = parseAddress(query);
  const parts = Object.keys(open) as (keyof AddressState)[];
  const openPart = <Part extends keyof AddressState>(part: Part) => open[part](lookout, state[part]);
  for (const part of parts) openPart(part);
  return ignored;
}

/** The address is always live, since a shift starts with the present. */
export function startAddress(query: string): string {
  return liveAddress(query).slice(1);
}
