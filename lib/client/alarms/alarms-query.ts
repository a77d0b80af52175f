import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ALARMS_WAIT_MAX_MS, type Alarm, type AlarmsAnswer, alarmsSchema } from '#lib/api/watching/alarms.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';
import { type AlarmBook, EMPTY_BOOK, mergedBook } from './alarm-book.ts';

const ALARMS_KEY = ['alarms'] as const;

const TIMEOUT_MS = ALARMS_WAIT_MAX_MS + 8000;

/**
 * Alarms of the last day, and earlier ones that have not ended. Later requests wait at the server for a change.
 */
export function alarmsQuery(now: () => number) {
  return queryOptions<AlarmBook, LookoutRequestError>({
    queryKey: ALARMS_KEY,
    queryFn: async ({ signal, client }) => {
      const before = client.getQueryData<AlarmBook>(ALARMS_KEY) ?? EMPTY_BOOK;
      const read = (query: string) =>
        requestJson<AlarmsAnswer>('GET', `/api/alarms?${query}`, alarmsSchema, { signal, timeoutMs: TIMEOUT_MS });
      if (before.next !== undefined)
        return mergedBook(before, await read(`since=${encodeURIComponent(before.next)}&wait=${ALARMS_WAIT_MAX_MS}`));
      const since = new Date(now() - DAY_MS).toISOString();
      const [open, unknown, changed] = await Promise.all([
        read('state=open'),
        read('state=unknown'),
        read(`since=${encodeURIComponent(since)}`),
      ]);
      // Last: the following answers begin at its `next`.
      return [open, unknown, changed].reduce(mergedBook, before);
    },
    ...FAILS_AT_ONCE,
    // Only `useAlarmPolling` reads it again.
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

export interface Acknowledging {
  /** RFC 3339; null: until the alarm ends. */
  readonly until: string | null;
  readonly comment: string;
}

/** @throws LookoutRequestError if it was not done */
export function acknowledgeAlarm({ id, revision }: Alarm, body: Acknowledging): Promise<void> {
  return sendToLookout('POST', `/api/alarms/${id}/acknowledge`, { ...body, revision });
}

export interface Closing {
  readonly as: NonNullable<Alarm['closed']>['as'];
  readonly comment: string;
}

/** @throws LookoutRequestError if it was not done */
export function closeAlarm({ id, revision }: Alarm, body: Closing): Promise<void> {
  return sendToLookout('POST', `/api/alarms/${id}/close`, { ...body, revision });
}

export function readAlarmsAgain(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: ALARMS_KEY });
}
