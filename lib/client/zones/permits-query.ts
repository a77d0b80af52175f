import { type QueryClient, queryOptions } from '@tanstack/react-query';
import {
  type NewPermits,
  type Permit,
  type PermitChange,
  type PermitsAnswer,
  type Permitted,
  permitSchema,
  permitsSchema,
  permittedSchema,
} from '#lib/api/watching/permits.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

const PERMITS_KEY = ['permits'] as const;

/** Permits are read again this often, since other operators change them. */
const AGAIN_MS = 30_000;

/** @param window RFC 3339; `undefined`: current and coming ones, and those that ended lately */
export function permitsQuery(window?: { readonly start: string; readonly end: string }) {
  const query = window ? `?${new URLSearchParams({ start: window.start, end: window.end })}` : '';
  return queryOptions<PermitsAnswer, LookoutRequestError>({
    queryKey: [...PERMITS_KEY, query],
    queryFn: ({ signal }) => requestJson('GET', `/api/permits${query}`, permitsSchema, { signal }),
    ...FAILS_AT_ONCE,
    ...(window === undefined && { refetchInterval: AGAIN_MS }),
  });
}

/** A failed change may have been made, and another operator may have made one. */
export function readPermitsAgain(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: PERMITS_KEY });
}

/** Makes all permits in one transaction, or none, and notes them at the alarms. @throws LookoutRequestError */
export function makePermits(body: Pick<NewPermits, 'permits' | 'alarms'>): Promise<Permitted> {
  return requestJson('POST', '/api/permits', permittedSchema, { body });
}

/** @throws LookoutRequestError */
export function changePermit(id: string, change: PermitChange): Promise<Permit> {
  return requestJson('PATCH', `/api/permits/${id}`, permitSchema, { body: change });
}

/** @throws LookoutRequestError */
export function endPermit({ id, revision }: Permit): Promise<Permit> {
  return requestJson('POST', `/api/permits/${id}/end`, permitSchema, { body: { revision } });
}
