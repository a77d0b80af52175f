'use client';

import { useMemo, useState } from 'react';
import { useListedTracks } from '#lib/client/page/lookout-context.tsx';
import { orderTracks, type TrackOrder } from '#lib/picture/order-tracks.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { useSettledView } from './use-settled-view.ts';

/** Tracks of one moment, in order. */
export interface TrackList {
  readonly tracks: TrackMoment;
  readonly slots: Uint32Array;
}

/** The tracks to list; anew at every answer and every second, and only while it is mounted. */
export function useTrackList(text: string, inViewOnly: boolean, order: TrackOrder): TrackList {
  const tracks = useListedTracks();
  const view = useSettledView();
  const [inOrder] = useState(makeTrackOrderer);
  const inside = inViewOnly ? view.visible : undefined;
  return useMemo(() => {
    const { columns, refAt, atMs } = tracks;
    return { tracks, slots: inOrder(columns, refAt, atMs, { text, inside }, order) };
  }, [inOrder, tracks, text, inside, order]);
}

/** `orderTracks` that remembers its last answer, so that the next one is cheap. */
function makeTrackOrderer(): typeof orderTracks {
  let earlier: Uint32Array | undefined;
  return (columns, refAt, nowMs, search, order) => {
    earlier = orderTracks(columns, refAt, nowMs, search, order, earlier);
    return earlier;
  };
}
