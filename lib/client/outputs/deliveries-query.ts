import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  type Deliveries,
  type DestinationNames,
  deliveriesSchema,
  destinationNamesSchema,
} from '#lib/api/outputs/destinations.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

const WAITING_MS = 2000;
const SETTLED_MS = 15_000;

/** Destinations that a rule can name. */
export function destinationNamesQuery() {
  return queryOptions<DestinationNames, LookoutRequestError>({
    queryKey: ['destination-names'],
    queryFn: ({ signal }) => requestJson('GET', '/api/destinations', destinationNamesSchema, { signal }),
    ...FAILS_AT_ONCE,
    staleTime: SETTLED_MS,
  });
}

/** Read again when the alarm changes, and sooner while a delivery waits. */
export function alarmDeliveriesQuery({ id, state, count }: Alarm) {
  return queryOptions<Deliveries, LookoutRequestError>({
    queryKey: ['alarm-deliveries', id, state, count],
    queryFn: ({ signal }) => requestJson('GET', `/api/alarms/${id}/deliveries`, deliveriesSchema, { signal }),
    refetchInterval: ({ state: { data } }) => refreshMs(data),
    placeholderData: keepPreviousData,
    ...FAILS_AT_ONCE,
  });
}

export function destinationDeliveriesQuery(id: string) {
  return queryOptions<Deliveries, LookoutRequestError>({
    queryKey: ['destination-deliveries', id],
    queryFn: ({ signal }) =>
      requestJson('GET', `/api/admin/destinations/${id}/deliveries`, deliveriesSchema, { signal }),
    refetchInterval: ({ state: { data } }) => refreshMs(data),
    ...FAILS_AT_ONCE,
  });
}

function refreshMs(data: Deliveries | undefined): number {
  return data?.deliveries.some(({ state }) => state === 'waiting') ? WAITING_MS : SETTLED_MS;
}
