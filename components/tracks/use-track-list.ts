'use client';

import { useMemo, useState } from 'react';
import { useDisplay, useListedTracks, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { emergenciesFirst, orderTracks, type TrackOrder } from '#lib/picture/order-tracks.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { slotFilter } from '#lib/picture/slot-filter.ts';
import { useSettledView } from './use-settled-view.ts';

/** Tracks at one time, in order. */
export interface TrackList {
  readonly tracks: TrackMoment;
  readonly slots: Uint32Array;
}

/** The tracks to list, recomputed with every answer and every second while mounted. */
export function useTrackList(text: string, inViewOnly: boolean, order: TrackOrder): TrackList {
  const tracks = useListedTracks();
  const { filter } = useDisplay().filtered;
  const view = useSettledView();
  const [{ emergenciesFirst: hasEmergenciesFirst }] = usePreferences();
  const [orderer] = useState(makeTrackOrderer);
  const inside = inViewOnly ? view.visible : undefined;
  const filterView = filter.inside === 'view' ? view.visible : undefined;
  return useMemo(() => {
    const { columns, refAt, atMs } = tracks;
    const shown = slotFilter(filter, tracks, atMs, filterView);
    const emergencyAt = (slot: number) => tracks.positionAt(slot).emergencyState;
    const slots = orderer(columns, refAt, atMs, { text, inside, filter: shown, emergencyAt }, order);
    return { tracks, slots: hasEmergenciesFirst ? emergenciesFirst(columns, slots) : slots };
  }, [orderer, tracks, text, inside, filter, filterView, order, hasEmergenciesFirst]);
}

/** `orderTracks` that starts from its last result, so that the next one is cheap. */
function makeTrackOrderer(): typeof orderTracks {
  let earlier: Uint32Array | undefined;
  return (columns, refAt, nowMs, search, order) => {
    earlier = orderTracks(columns, refAt, nowMs, search, order, earlier);
    return earlier;
  };
}
