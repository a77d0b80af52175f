import { queryOptions } from '@tanstack/react-query';
import {
  type NewOverlay,
  type OverlayContent,
  type OverlaysAnswer,
  overlayContentSchema,
  overlaysSchema,
} from '#lib/api/overlay.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

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
