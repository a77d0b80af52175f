'use client';

import { focusManager, onlineManager, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Camera } from '#lib/api/address-state.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { areaBbox } from '#lib/geo/area.ts';
import {
  type Bbox,
  bboxContains,
  bboxCovers,
  formatBbox,
  formatLonLat,
  latSpanDeg,
  lonSpanDeg,
} from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { growByFraction } from '#lib/geo/grown-box.ts';
import { eastwardDeg, wrapLongitude } from '#lib/geo/longitude.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { nextTask } from '../browser/page-timers.ts';
import { useIsTabVisible } from '../browser/use-tab-visible.ts';
import { type AskedView, type LiveClient, openLiveClient, preparedLiveClient } from '../live/live-client.ts';
import { browserNow } from '../live/server-clock.ts';
import { reportPageError } from '../page-errors/page-errors.ts';
import { LookoutRequestError } from '../request/fetch-lookout.ts';
import { WorkerStoppedError } from '../request/worker-failure.ts';
import { useIsReplaying, useLookout, usePreferences, useValue } from './lookout-context.tsx';

const LIVE_QUERY = 'live';

const RETRY_MS = 3000;

/** Polls are later by a random time: the server holds those that are too early. */
const JITTER_MAX_MS = 400;
const JITTER_MAX_PART = 0.25;

/**
 * Polls for what the map shows, while the tab is visible and no replay is open; hidden tabs catch up when they become
 * visible. Positions go to the feed, and so does every failure. React Query only stores when to poll next.
 */
export function useLiveRequests(): void {
  const { feed, layersOn, replay } = useLookout();
  const view = useAskedView();
  const on = useValue(layersOn);
  const layers = LAYERS.filter((layer) => on.has(layer));
  const client = useLiveClient();
  const isOpening = useValue(replay.opening);
  const isReplaying = useIsReplaying() || isOpening;
  const isTabVisible = useIsTabVisible();
  // The jitter is constant: polls are even, but not at the same time in pages opened together.
  const [jitter] = useState(Math.random);

  const { error } = useQuery({
    queryKey: [
      LIVE_QUERY,
      view && formatBbox(view.bbox),
      view && formatLonLat(view.centre),
      view?.home && formatBbox(view.home),
      layers.join(),
    ],
    // A replay or hidden tab shows no live picture, and its view can change.
    enabled: client !== undefined && view !== undefined && layers.length > 0 && !isReplaying && isTabVisible,
    queryFn: async ({ signal }) => {
      if (!client || !view) throw new Error('polled without a view');
      const { generation } = feed;
      const { id, frame } = await client.fetch(view, layers, generation, signal);
      // Each step has a task of its own: together they take longer than a frame.
      await nextTask();
      const isApplied = feed.apply(frame);
      if (isApplied) client.acknowledge(id, generation);
      await nextTask();
      feed.age();
      // An answer in flight when the network went down is outdated, and polling has stopped.
      if (!onlineManager.isOnline()) feed.lose('offline');
      return { nextPollMs: frame.nextPollMs };
    },
    refetchInterval: ({ state }) => {
      const nextMs = state.error ? RETRY_MS : (state.data?.nextPollMs ?? RETRY_MS);
      return nextMs + jitter * Math.min(JITTER_MAX_MS, JITTER_MAX_PART * nextMs);
    },
    refetchOnReconnect: 'always',
    retry: false,
    gcTime: 0,
    staleTime: 0,
  });

  useEffect(() => {
    if (!error) return;
    if (error instanceof WorkerStoppedError) feed.lose(error.kind);
    else if (!(error instanceof LookoutRequestError)) {
      // The answer arrived, and the page failed to apply it.
      reportPageError('answer', error);
      feed.lose('unreadable');
    } else if (error.kind === 'unreachable') feed.lose(onlineManager.isOnline() ? 'unreachable' : 'offline');
    else if (error.kind === 'refused' && error.code === 'database_lost') feed.lose('database-lost');
    else feed.lose(error.kind, error.status);
  }, [feed, error]);

  useEffect(
    () =>
      onlineManager.subscribe((isOnline) => {
        if (!isOnline) feed.lose('offline');
      }),
    [feed],
  );
}

/** A moving map is requested once it rests for this long. */
const REST_MS = 250;

/**
 * `undefined` before the map has a size, unless the page has sent a request already; the first view has no delay. A map
 * that only changes its size keeps the view while that covers it.
 */
function useAskedView(): AskedView | undefined {
  const { display, mapView, selecting } = useLookout();
  const { focus } = selecting;
  const [{ homeArea }] = usePreferences();
  const [first] = useState(() => preparedLiveClient()?.first?.view);
  const [view, setView] = useState<Omit<AskedView, 'home'> | undefined>(first);
  const asked = useRef(first && { bbox: first.bbox, camera: mapView.get() });

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isFirst = true;
    const follow = () => {
      const camera = mapView.get();
      const { visible, lon, lat } = camera;
      if (!visible) return;
      clearTimeout(timer);
      const followed = focus.get().following === 'on' ? display.summary().selected?.position : undefined;
      const before = asked.current;
      if (before && !followed && isSamePlace(before.camera, camera) && suits(before.bbox, visible)) return;
      const bbox = followed ? requestedAreaAround(visible, followed) : requestedArea(visible);
      const next = { bbox, centre: { lon: wrapLongitude(lon), lat } };
      const ask = () => {
        asked.current = { bbox, camera };
        setView(next);
      };
      timer = setTimeout(ask, isFirst ? 0 : REST_MS);
      isFirst = false;
    };
    follow();
    const stopView = mapView.subscribe(follow);
    const stopFocus = focus.subscribe(follow);
    return () => {
      clearTimeout(timer);
      stopView();
      stopFocus();
    };
  }, [display, mapView, focus]);
  return useMemo(() => view && { ...view, home: homeArea ?? undefined }, [view, homeArea]);
}

/** Less than a pixel. */
const SAME_PLACE_DEG = 1e-7;
const SAME_ZOOM = 1e-6;

function isSamePlace(before: Camera, now: Camera): boolean {
  return (
    Math.abs(before.lon - now.lon) < SAME_PLACE_DEG &&
    Math.abs(before.lat - now.lat) < SAME_PLACE_DEG &&
    Math.abs(before.zoom - now.zoom) < SAME_ZOOM &&
    Math.abs(before.bearingDeg - now.bearingDeg) < SAME_ZOOM
  );
}

/** An estimated size differs by up to this part. */
const ESTIMATE_FRACTION = 0.1;
/** The strips of an opened page take some of the map. */
const LARGER_MAX = 1.4;

/** Whether a requested area suits a view around the same place: it covers the view, and not much more. */
export function suits(area: Bbox, visible: Bbox): boolean {
  const wanted = requestedArea(visible);
  const [south, north] = [-90, 90];
  return (
    isAlike(lonSpanDeg(area), lonSpanDeg(wanted), bboxCovers({ ...area, south, north }, visible)) &&
    isAlike(latSpanDeg(area), latSpanDeg(wanted), area.south <= visible.south && area.north >= visible.north)
  );
}

/** Of a side over the limit the server answers for the middle. */
function isAlike(spanDeg: number, wantedDeg: number, isCovered: boolean): boolean {
  if (wantedDeg > LIVE_MAX_SPAN_DEG) return Math.abs(spanDeg - wantedDeg) <= wantedDeg * ESTIMATE_FRACTION;
  return isCovered && spanDeg <= wantedDeg * LARGER_MAX;
}

/** The request has a margin, so that marks don't appear and vanish at the view's border. */
const MARGIN_FRACTION = 0.1;

/**
 * The view with a margin, as far as the server still covers it all; larger views are capped around the middle of the
 * screen.
 */
export function requestedArea(visible: Bbox): Bbox {
  return growByFraction(visible, MARGIN_FRACTION, LIVE_MAX_SPAN_DEG);
}

/** The reach is an airliner's minute, which is several readings, plus a metre for rounding. */
const FOLLOWED_REACH_M = 18_001;

export function requestedAreaAround(visible: Bbox, followed: LonLat): Bbox {
  const area = requestedArea(visible);
  if (!bboxContains(area, followed.lon, followed.lat)) return area;
  const reach = areaBbox({ kind: 'circle', centre: followed, radiusM: FOLLOWED_REACH_M });
  const reachDeg = lonSpanDeg(reach) / 2;
  const isWide = lonSpanDeg(area) + 2 * reachDeg > LIVE_MAX_SPAN_DEG;
  return {
    west: isWide || eastwardDeg(area.west, followed.lon) >= reachDeg ? area.west : reach.west,
    south: Math.max(-90, Math.min(area.south, reach.south)),
    east: isWide || eastwardDeg(followed.lon, area.east) >= reachDeg ? area.east : reach.east,
    north: Math.min(90, Math.max(area.north, reach.north)),
  };
}

function useLiveClient(): LiveClient | undefined {
  const [client, setClient] = useState<LiveClient>();
  useEffect(() => {
    const created = openLiveClient();
    setClient(created);
    return () => created.close();
  }, []);
  return client;
}

const WORTH_SAYING_MS = 10_000;
const SHOWN_MS = 12_000;

/** A sentence about the time that this tab was hidden, for a while after it has caught up. */
export function useCatchUpNote(): string | undefined {
  const { feed, preferences } = useLookout();
  const queries = useQueryClient();
  const [note, setNote] = useState<string>();

  useEffect(() => {
    let hiddenSince: LocalInstant | undefined;
    let pausedMs = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const stopFocus = focusManager.subscribe((isVisible) => {
      if (!isVisible) hiddenSince ??= browserNow();
      else if (hiddenSince !== undefined) {
        pausedMs = msBetween(hiddenSince, browserNow());
        hiddenSince = undefined;
      }
    });
    const stopAnswers = queries.getQueryCache().subscribe((event) => {
      const isAnswer =
        event.type === 'updated' && event.action.type === 'success' && event.query.queryKey[0] === LIVE_QUERY;
      const now = feed.now();
      if (!isAnswer || now === undefined || pausedMs < WORTH_SAYING_MS) return;
      const at = clockText(now, preferences.get().zone);
      setNote(`Paused for ${durationText(pausedMs)} while this tab was hidden; caught up at ${at}`);
      pausedMs = 0;
      clearTimeout(timer);
      timer = setTimeout(() => setNote(undefined), SHOWN_MS);
    });
    return () => {
      stopFocus();
      stopAnswers();
      clearTimeout(timer);
    };
  }, [feed, preferences, queries]);
  return note;
}
