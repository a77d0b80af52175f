import { queryOptions } from '@tanstack/react-query';
import { type NewView, type SavedViewsAnswer, savedViewsSchema, type ViewChange } from '#lib/api/saved-view.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

export const VIEWS_KEY = ['views'] as const;

/** The saved views. They are read again whenever they are shown: other operators may have shared some. */
export function viewsQuery() {
  return queryOptions<SavedViewsAnswer, LookoutRequestError>({
    queryKey: VIEWS_KEY,
    queryFn: ({ signal }) => requestJson('GET', '/api/views', savedViewsSchema, { signal }),
    ...FAILS_AT_ONCE,
  });
}

export type ViewsRequest =
  | { readonly do: 'save'; readonly view: NewView }
  | { readonly do: 'change'; readonly id: string; readonly change: ViewChange }
  | { readonly do: 'delete'; readonly id: string }
  | { readonly do: 'start'; readonly id: string | null };

/** @throws LookoutRequestError if the change was not made */
export function sendViewsRequest(request: ViewsRequest): Promise<void> {
  switch (request.do) {
    case 'save':
      return sendToLookout('POST', '/api/views', request.view);
    case 'change':
      return sendToLookout('PATCH', `/api/views/${request.id}`, request.change);
    case 'delete':
      return sendToLookout('DELETE', `/api/views/${request.id}`);
    case 'start':
      return sendToLookout('PUT', '/api/views/start', { id: request.id });
  }
}
