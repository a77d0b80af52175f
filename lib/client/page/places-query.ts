import { queryOptions } from '@tanstack/react-query';
import { type PlacesAnswer, placesAnswerSchema, placesQuerySchema } from '#lib/api/places-answer.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

export function isPlaceText(text: string): boolean {
  return placesQuerySchema.safeParse({ q: text }).success;
}

/** @param text `isPlaceText`; places don't change while the page is open */
export function placesQuery(text: string) {
  return queryOptions<PlacesAnswer, LookoutRequestError>({
    queryKey: ['places', text],
    queryFn: ({ signal }) =>
      requestJson('GET', `/api/places?q=${encodeURIComponent(text)}`, placesAnswerSchema, { signal }),
    ...FAILS_AT_ONCE,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}
