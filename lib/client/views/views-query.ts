import { queryOptions } from '@tanstack/react-query';
import {
  type NewOverlay,
  type OverlayContent,
  type OverlaysAnswer,
  overlayContentSchema,
  overlaysSchema,
} from '#lib/api/overlay.ts';
import { type NewView, type SavedViewsAnswer, savedViewsSchema, type ViewChange } from '#lib/api/saved-view.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

/** The requests about saved views and overlays, which are an operator’s own or shared with all. */

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

export const OVERLAYS_KEY = ['overlays'] as const;

export function overlaysQuery() {
  return queryOptions<OverlaysAnswer, LookoutRequestError>({
    queryKey: OVERLAYS_KEY,
    queryFn: ({ signal }) => requestJson('GET', '/api/overlays', overlaysSchema, { signal }),
    ...FAILS_AT_ONCE,
  });
}

/** An overlay's content never changes. */
export function overlayQuery(id: string) {
  return queryOptions<OverlayContent, LookoutRequestError>({
    queryKey: ['overlay', id],
    queryFn: ({ signal }) => requestJson('GET', `/api/overlays/${id}`, overlayContentSchema, { signal }),
    networkMode: 'always',
    retry: 3,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** @throws LookoutRequestError if it was not done */
export function sendOverlay(overlay: NewOverlay): Promise<void> {
  return sendToLookout('POST', '/api/overlays', overlay);
}

/** @throws LookoutRequestError if it was not done */
export function removeOverlay(id: string): Promise<void> {
  return sendToLookout('DELETE', `/api/overlays/${id}`);
}

interface Owned {
  readonly mine: boolean;
  readonly shared: boolean;
  readonly owner: string | null;
}

/**
 * Whose a saved view or an overlay is, and who sees it.
 * @param hasOperators whether operators sign in
 */
export function ownerText({ mine, shared, owner }: Owned, hasOperators: boolean): string | undefined {
  if (!mine) return `Shared by ${owner ?? 'this Lookout before operators signed in'}`;
  if (!hasOperators) return undefined;
  return shared ? 'Yours, shared with everybody' : 'Yours alone';
}
