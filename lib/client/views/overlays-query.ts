import { queryOptions } from '@tanstack/react-query';
import {
  type NewOverlay,
  type OverlayContent,
  type OverlaysAnswer,
  overlayContentSchema,
  overlaysSchema,
} from '#lib/api/overlay.ts';
import { fetchLookout, LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';

/** The server answers from a file; a longer wait is pointless. */
const ANSWER_TIMEOUT_MS = 8000;

export const OVERLAYS_KEY = ['overlays'] as const;

/** The overlays that this operator sees. */
export function overlaysQuery() {
  return queryOptions<OverlaysAnswer, LookoutRequestError>({
    queryKey: OVERLAYS_KEY,
    queryFn: async ({ signal }) => readAnswer('/api/overlays', overlaysSchema, signal),
    networkMode: 'always',
    retry: false,
    staleTime: 0,
  });
}

/** What is drawn of one of them. It never changes. */
export function overlayQuery(id: string) {
  return queryOptions<OverlayContent, LookoutRequestError>({
    queryKey: ['overlay', id],
    queryFn: async ({ signal }) => readAnswer(`/api/overlays/${id}`, overlayContentSchema, signal),
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

interface Schema<T> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: T } | { readonly success: false; readonly error: unknown };
}

async function readAnswer<T>(address: string, schema: Schema<T>, signal: AbortSignal): Promise<T> {
  const answer = await fetchLookout(address, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
  });
  const parsed = schema.safeParse(await answer.json().catch(() => undefined));
  if (!parsed.success) throw new LookoutRequestError('unreadable', { cause: parsed.error });
  return parsed.data;
}
