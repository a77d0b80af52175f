'use client';

import { focusManager, onlineManager, useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { formatBbox, formatLonLat } from '#lib/geo/bbox.ts';
import { LAYERS } from '#lib/model/position.ts';
import { type AskedView, LiveClient } from '../live/live-client.ts';
import { reportPageError } from '../page-errors/page-errors.ts';
import { LookoutRequestError } from '../request/fetch-lookout.ts';
import { nextTask } from '../request/next-task.ts';
import { WorkerStoppedError } from '../request/worker-failure.ts';
import { useIsReplaying, useLookout, useValue } from './lookout-context.tsx';

export const LIVE_QUERY = 'live';

const RETRY_MS = 3000;

/** Random; the server holds a poll that is too early. */
const JITTER_MAX_MS = 400;
const JITTER_MAX_PART = 0.25;

/**
 * Hidden tabs catch up when they become visible. Positions go to the feed; React Query only stores when to poll next.
 */
export function useLivePolling(view: AskedView | undefined): void {
  const { feed, layersOn } = useLookout();
  const on = useValue(layersOn);
  const layers = LAYERS.filter((layer) => on.has(layer));
  const client = useLiveClient();
  const isReplaying = useIsReplaying();
  const isTabVisible = useIsTabVisible();
  // Constant: even polls, but not at the same time in pages opened together.
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
      // A task each: together they are longer than a frame.
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

function useIsTabVisible(): boolean {
  return useSyncExternalStore(
    (onChange) => focusManager.subscribe(onChange),
    () => focusManager.isFocused(),
    () => true,
  );
}

function useLiveClient(): LiveClient | undefined {
  const [client, setClient] = useState<LiveClient>();
  useEffect(() => {
    const created = new LiveClient();
    setClient(created);
    return () => created.close();
  }, []);
  return client;
}
