'use client';

import { useEffect, useMemo, useState } from 'react';
import { useDisplay, useListedTracks, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { ViewState } from '#lib/client/page/view-state.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { type ListQuestion, TrackLister, type TrackRows } from '#lib/picture/list-tracks.ts';
import type { SortOrder } from '#lib/picture/order-tracks.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { slotFilter } from '#lib/picture/slot-filter.ts';
import type { TableColumn } from '#lib/picture/table-columns.ts';
import { rangesOf, type TableNarrowing } from './filter-fields.ts';

/** Tracks at one time, in rows. */
export interface TrackList extends TrackRows {
  readonly tracks: TrackMoment;
}

/** What is asked anew is sorted at once; rows whose values change are sorted at most this often, so that a list can be read. */
const SORT_EVERY_MS = 900;
/** And at the latest then, if no answer or second comes before. */
const SORT_WITHIN_MS = 1500;

/**
 * The tracks to list, recomputed with every answer and every second while mounted.
 * @param from the point of reference of distances and bearings
 */
export function useTrackList(
  { text, inViewOnly, ranges }: TableNarrowing,
  order: SortOrder,
  view: ViewState,
  from: LonLat,
): TrackList {
  const tracks = useListedTracks();
  const filter = useDisplay(({ filtered }) => filtered.filter);
  const [{ emergenciesFirst, tableGrouped: grouped }] = usePreferences();
  const [sorted] = useState(() => new SortedList());
  const [tick, setTick] = useState(0);
  const asked = useMemo(
    () => ({
      text,
      ranges: rangesOf(ranges),
      unknown: filter.unknown,
      order,
      emergenciesFirst,
      grouped,
      filter,
      inViewOnly,
    }),
    [text, ranges, order, emergenciesFirst, grouped, filter, inViewOnly],
  );
  const isPointUsed = isOfPoint(order.map(({ column }) => column)) || isOfPoint([...asked.ranges.keys()]);
  const point = isPointUsed ? from : undefined;
  const inside = inViewOnly ? view.visible : undefined;
  const filterView = filter.inside === 'view' ? view.visible : undefined;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a tick means that a sort is due.
  const list = useMemo(
    () =>
      sorted.list(tracks, asked, {
        ...asked,
        filter: slotFilter(asked.filter, tracks, tracks.atMs, filterView),
        inside,
        from: point,
      }),
    [sorted, tracks, asked, filterView, inside, point, tick],
  );

  const { dueInMs } = list;
  useEffect(() => {
    if (dueInMs === undefined) return;
    const timer = setTimeout(() => setTick((ticks) => ticks + 1), dueInMs);
    return () => clearTimeout(timer);
  }, [dueInMs]);

  return list;
}

function isOfPoint(columns: readonly TableColumn[]): boolean {
  return columns.includes('distance') || columns.includes('bearing');
}

interface SortedTrackList extends TrackList {
  /** `undefined` if it is sorted by the present values. */
  readonly dueInMs: number | undefined;
}

/** Lists what is asked, sorted no more often than one can read. */
class SortedList {
  readonly #lister = new TrackLister();
  #asked: unknown;
  #sortedMs = 0;

  /** @param asked another object if the operator asked anew */
  list(tracks: TrackMoment, asked: unknown, question: ListQuestion): SortedTrackList {
    const elapsedMs = performance.now() - this.#sortedMs;
    const isDue = asked !== this.#asked || elapsedMs >= SORT_EVERY_MS;
    if (isDue) this.#sortedMs += elapsedMs;
    this.#asked = asked;
    return {
      ...this.#lister.list(tracks, question, isDue),
      tracks,
      dueInMs: isDue ? undefined : SORT_WITHIN_MS - elapsedMs,
    };
  }
}
