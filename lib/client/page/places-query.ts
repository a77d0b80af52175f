import { queryOptions } from '@tanstack/react-query';
import { type PlacesAnswer, placesAnswerSchema, placesQuerySchema } from '#lib/api/places-answer.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

export function isPlaceText(text: string): boolean {
  return placesQuerySchema.safeParse({ q: text }).success;
}

/** The airports and towns around a place. */
export function placesNearQuery({ lat, lon }: LonLat) {
  const near = `${lat.toFixed(4)},${lon.toFixed(4)}`;
  return queryOptions<PlacesAnswer, LookoutRequestError>({
    queryKey: ['places-near', near],
    queryFn: ({ signal }) => requestJson('GET', `/api/places?near=${near}`, placesAnswerSchema, { signal }),
    ...FAILS_AT_ONCE,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
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
