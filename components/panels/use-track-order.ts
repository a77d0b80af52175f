'use client';

import { useMemo, useState } from 'react';
import { useLiveSummary, useLookout } from '#lib/client/lookout-context.tsx';
import type { TrackOrder } from '#lib/picture/order-tracks.ts';
import { makeTrackOrderer } from './track-orderer.ts';
import { useSettledView } from './use-settled-view.ts';

const none = new Uint32Array();

/** The slots of the tracks to list, in order; anew at every answer and every second, and only while it is mounted. */
export function useTrackOrder(text: string, inViewOnly: boolean, order: TrackOrder): Uint32Array {
  const { engine } = useLookout();
  const summary = useLiveSummary();
  const view = useSettledView();
  const [orderTracks] = useState(makeTrackOrderer);
  const inside = inViewOnly ? view.visible : undefined;

  return useMemo(() => {
    if (summary.shownMs === undefined) return none;
    const { tracks } = engine;
    return orderTracks(tracks.columns, (slot) => tracks.refAt(slot), summary.shownMs, { text, inside }, order);
  }, [engine, orderTracks, summary, text, inside, order]);
}
