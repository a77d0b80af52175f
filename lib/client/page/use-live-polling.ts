'use client';

import { onlineManager, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { formatBbox, formatLonLat } from '#lib/geo/bbox.ts';
import { LAYERS } from '#lib/model/position.ts';
import { type AskedView, LiveClient } from '../live/live-client.ts';
import { SignedOutError } from '../request/signed-out-error.ts';
import { userTimed } from '../request/user-timing.ts';
import { useIsReplaying, useLookout, useValue } from './lookout-context.tsx';

/** First element of the key of every live query. */
export const LIVE_QUERY = 'live';

/** After a failed answer of our own server: soon enough to come back with it, seldom enough not to press it. */
const RETRY_MS = 3000;

/** By how much pages poll later than told, at most. */
const LATER_MAX_MS = 400;

/**
 * Polls `/api/live` for what the map shows, at the server's pace. Hidden tabs do not poll and catch up when they return.
 * Positions go to the feed; React Query keeps only when to ask next.
 */
export function useLivePolling(view: AskedView | undefined): void {
  const { feed, layersOn } = useLookout();
  const on = useValue(layersOn);
  const layers = LAYERS.filter((layer) => on.has(layer));
  const client = useLiveClient();
  const isReplaying = useIsReplaying();
  // The same for the whole visit: a page's polls keep their rhythm, and pages that opened together do not poll together.
  const [laterMs] = useState(() => Math.random() * LATER_MAX_MS);

  const { error } = useQuery({
    queryKey: [LIVE_QUERY, view && formatBbox(view.bbox), view && formatLonLat(view.centre), layers.join()],
    // While the past is shown nothing of now is asked for: nobody would see it.
    enabled: client !== undefined && view !== undefined && layers.length > 0 && !isReplaying,
    queryFn: async ({ signal }) => {
      if (!client || !view) throw new Error('polled without a view');
      const { generation } = feed;
      const { id, frame } = await client.fetch(view, layers, generation, signal);
      const isTaken = userTimed('lookout:update', () => feed.accept(frame));
      if (isTaken) client.acknowledge(id, generation);
      // An answer that was under way when the network went says nothing of now, and no other is asked for.
      if (!onlineManager.isOnline()) feed.lose('offline');
      return { nextPollMs: frame.nextPollMs };
    },
    refetchInterval: (query) => (query.state.error ? RETRY_MS : (query.state.data?.nextPollMs ?? RETRY_MS)) + laterMs,
    refetchOnWindowFocus: 'always',
    refetchOnReconnect: 'always',
    retry: false,
    gcTime: 0,
    staleTime: 0,
  });

  // Each failure is another error.
  useEffect(() => {
    if (!error) return;
    if (error instanceof SignedOutError) feed.lose('signed-out');
    else feed.lose(onlineManager.isOnline() ? 'unreachable' : 'offline');
  }, [feed, error]);

  useEffect(
    () =>
      onlineManager.subscribe((isOnline) => {
        if (!isOnline) feed.lose('offline');
      }),
    [feed],
  );
}

function useLiveClient(): LiveClient | undefined {
  const [client, setClient] = useState<LiveClient>();
  useEffect(() => {
    const made = new LiveClient();
    setClient(made);
    return () => made.close();
  }, []);
  return client;
}
