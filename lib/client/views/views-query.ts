import { queryOptions } from '@tanstack/react-query';
import { type NewView, type SavedViewsAnswer, savedViewsSchema, type ViewChange } from '#lib/api/saved-view.ts';
import { fetchLookout, LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';

/** The server answers from a file; a longer wait is pointless. */
const ANSWER_TIMEOUT_MS = 8000;

export const VIEWS_KEY = ['views'] as const;

/** The saved views that this operator sees, read again whenever they are shown: others may have shared some. */
export function viewsQuery() {
  return queryOptions<SavedViewsAnswer, LookoutRequestError>({
    queryKey: VIEWS_KEY,
    queryFn: async ({ signal }) => {
      const answer = await fetchLookout('/api/views', {
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
      });
      const body: unknown = await answer.json().catch(() => undefined);
      const parsed = savedViewsSchema.safeParse(body);
      if (!parsed.success) throw new LookoutRequestError('unreadable', { cause: parsed.error });
      return parsed.data;
    },
    // When offline, fail instead of pausing.
    networkMode: 'always',
    retry: false,
    staleTime: 0,
  });
}

/** One change of the saved views. */
export type ViewsRequest =
  | { readonly do: 'save'; readonly view: NewView }
  | { readonly do: 'change'; readonly id: string; readonly change: ViewChange }
  | { readonly do: 'delete'; readonly id: string }
  | { readonly do: 'start'; readonly id: string | null };

/** @throws LookoutRequestError if it was not done */
export async function sendViewsRequest(request: ViewsRequest): Promise<void> {
  switch (request.do) {
    case 'save':
      await sendToLookout('POST', '/api/views', request.view);
      return;
    case 'change':
      await sendToLookout('PATCH', `/api/views/${request.id}`, request.change);
      return;
    case 'delete':
      await sendToLookout('DELETE', `/api/views/${request.id}`);
      return;
    case 'start':
      await sendToLookout('PUT', '/api/views/start', { id: request.id });
      return;
  }
}
