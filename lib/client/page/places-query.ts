import { queryOptions } from '@tanstack/react-query';
import { type PlacesAnswer, placesAnswerSchema, placesQuerySchema } from '#lib/api/places-answer.ts';
import { fetchLookout, LookoutRequestError } from '../request/fetch-lookout.ts';

const ANSWER_TIMEOUT_MS = 8000;

/** Whether the server would search for this text. */
export function isPlaceText(text: string): boolean {
  return placesQuerySchema.safeParse({ q: text }).success;
}

/** The places and airports for a text, which `isPlaceText`. They don't change while the page is open. */
export function placesQuery(text: string) {
  return queryOptions<PlacesAnswer, LookoutRequestError>({
    queryKey: ['places', text],
    queryFn: async ({ signal }) => {
      const answer = await fetchLookout(`/api/places?q=${encodeURIComponent(text)}`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
      });
      const body: unknown = await answer.json().catch((cause: unknown) => {
        throw new LookoutRequestError('unreadable', { cause });
      });
      const parsed = placesAnswerSchema.safeParse(body);
      if (!parsed.success) throw new LookoutRequestError('unreadable', { cause: parsed.error });
      return parsed.data;
    },
    // When offline, fail instead of pausing.
    networkMode: 'always',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}
