'use client';

import { useCallback, useEffect, useMemo, useState } from 'react';
import { nextTask } from '#lib/client/browser/page-timers.ts';
import type { PlacedAnchor } from '#lib/client/measuring/measuring.ts';
import { useDisplay, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { MarkedPlace, ViewState } from '#lib/client/page/page-map.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { type ListQuestion, type SortOrder, TrackLister, type TrackRows } from '#lib/picture/list-tracks.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { slotFilter } from '#lib/picture/slot-filter.ts';
import type { TableColumn } from '#lib/picture/table-columns.ts';
import { rangesOf, type TableNarrowing } from './filter-fields.ts';

export interface TrackList extends TrackRows {
  readonly tracks: TrackMoment;
}

/** The list keeps its order for this long, so that it can be read; a new question sorts at once. */
const SORT_EVERY_MS = 900;

/** A sort that is due waits no longer for an answer or a new second. */
const SORT_WITHIN_MS = 1500;

/**
 * The rows of the table: which tracks match, in which order and groups. They follow every answer and every second.
 * @param from origin of distances and bearings
 */
export function useTrackList(
  { text, inViewOnly, ranges }: TableNarrowing,
  order: SortOrder,
  view: ViewState,
  from: LonLat,
): TrackList {
  const filter = useDisplay(({ filtered }) => filtered.filter);
  const [{ emergenciesFirst, tableGrouped: grouped }] = usePreferences();
  const [sorted] = useState(() => new SortedList());
  const tracks = usePreparedTracks(sorted);
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

  const questionOf = useCallback(
    (moment: TrackMoment) => ({
      ...asked,
      filter: slotFilter(asked.filter, moment, moment.atMs, filterView),
      inside,
      from: point,
    }),
    [asked, filterView, inside, point],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a tick means that a sort is due.
  const list = useMemo(() => sorted.list(tracks, asked, questionOf), [sorted, tracks, asked, questionOf, tick]);

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
  readonly dueInMs: number | undefined;
}

/** The tracks are found in one task and rendered in the next: together they take longer than a frame. */
function usePreparedTracks(sorted: SortedList): TrackMoment {
  const { display } = useLookout();
  const [tracks, setTracks] = useState(display.listedTracks);
  useEffect(() => {
    let isOver = false;
    // It awaits nothing that fails.
    const take = async () => {
      sorted.prepare(display.listedTracks());
      await nextTask();
      if (!isOver) setTracks(display.listedTracks());
    };
    const stop = display.subscribeTracks(() => void take());
    return () => {
      isOver = true;
      stop();
    };
  }, [display, sorted]);
  return tracks;
}

type QuestionOf = (tracks: TrackMoment) => ListQuestion;

/** Sorts no more often than one can read. */
class SortedList {
  readonly #lister = new TrackLister();
  #asked: unknown;
  #questionOf: QuestionOf | undefined;
  #latest: SortedTrackList | undefined;
  #sortedMs = 0;

  /** Lists the last question again, for a `list` that follows. */
  prepare(tracks: TrackMoment): void {
    if (this.#questionOf) this.list(tracks, this.#asked, this.#questionOf);
  }

  /**
   * @param asked a new object for each new question
   * @param questionOf another function if the answer changes for the same tracks
   */
  list(tracks: TrackMoment, asked: unknown, questionOf: QuestionOf): SortedTrackList {
    const elapsedMs = performance.now() - this.#sortedMs;
    const isDue = asked !== this.#asked || elapsedMs >= SORT_EVERY_MS;
    const latest = this.#latest;
    const isListed = latest?.tracks === tracks && questionOf === this.#questionOf;
    if (isListed && (latest.dueInMs === undefined || !isDue)) return latest;
    if (isDue) this.#sortedMs += elapsedMs;
    this.#asked = asked;
    this.#questionOf = questionOf;
    this.#latest = {
      ...this.#lister.list(tracks, questionOf(tracks), isDue),
      tracks,
      dueInMs: isDue ? undefined : SORT_WITHIN_MS - elapsedMs,
    };
    return this.#latest;
  }
}

const UPDATE_EVERY_MS = 250;

/** The map's view, which changes a few times a second while it moves. */
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

export interface ReferencePoint {
  readonly at: LonLat;
  readonly name: string;
}

/**
 * The origin of distances and bearings. It is never the selected track: each selection would reorder the table.
 * @param ringCentres a place comes before a track
 */
export function referencePoint(
  marked: MarkedPlace | undefined,
  ringCentres: readonly PlacedAnchor[],
  middle: LonLat,
): ReferencePoint {
  if (marked) return { at: marked, name: marked.name ?? 'the marked place' };
  for (const { at, ref } of ringCentres) {
    if (at) return { at, name: ref === undefined ? 'the range rings' : `track ${shortReference(ref)}` };
  }
  return { at: middle, name: 'the middle of the map' };
}
