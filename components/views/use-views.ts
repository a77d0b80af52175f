'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect } from 'react';
import { parseAddress } from '#lib/api/address-state.ts';
import type { SavedViewsAnswer } from '#lib/api/saved-view.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { sendViewsRequest, VIEWS_KEY, type ViewsRequest, viewsQuery } from '#lib/client/views/views-query.ts';

export interface Views {
  readonly answer: SavedViewsAnswer | undefined;
  readonly unread: LookoutRequestError | undefined;
  readonly send: (request: ViewsRequest, onDone?: () => void) => void;
  readonly isSending: boolean;
  readonly refusal: LookoutRequestError | undefined;
}

export function useViews(): Views {
  const { home, server } = useLookout();
  const queries = useQueryClient();
  const { data, error } = useQuery(viewsQuery());
  const change = useMutation<void, LookoutRequestError, ViewsRequest>({
    mutationFn: sendViewsRequest,
    // Also after a failure: the view may have been changed or deleted elsewhere.
    onSettled: () => queries.invalidateQueries({ queryKey: VIEWS_KEY }),
    networkMode: 'always',
  });

  // Moves this page's home before the list shows it: a key may follow at once.
  useLayoutEffect(() => {
    if (!data) return;
    const start = data.views.find(({ id }) => id === data.start);
    home.set((start && parseAddress(start.query).state.view) ?? server.home);
  }, [data, home, server]);

  return {
    answer: data,
    unread: error ?? undefined,
    send: (request, onDone) => change.mutate(request, onDone && { onSuccess: onDone }),
    isSending: change.isPending,
    refusal: change.error ?? undefined,
  };
}
