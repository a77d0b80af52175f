import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  type ChangedDestination,
  changedDestinationSchema,
  type DeliveriesAnswer,
  type Destination,
  type DestinationChange,
  type DestinationNames,
  type DestinationsAnswer,
  deliveriesSchema,
  destinationNamesSchema,
  destinationsSchema,
  type NewDestination,
  trialSchema,
} from '#lib/api/outputs/destinations.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

/** The requests about destinations, and about what was delivered to them. */

const REFRESH_MS = 3000;
const PATH = '/api/admin/destinations';

export function destinationsQuery() {
  return queryOptions<DestinationsAnswer, LookoutRequestError>({
    queryKey: ['destinations'],
    queryFn: ({ signal }) => requestJson('GET', PATH, destinationsSchema, { signal }),
    refetchInterval: REFRESH_MS,
    ...FAILS_AT_ONCE,
  });
}

/** @throws LookoutRequestError, as all below */
export function addDestination(body: NewDestination): Promise<ChangedDestination> {
  return requestJson('POST', PATH, changedDestinationSchema, { body });
}

export function changeDestination(id: string, body: DestinationChange): Promise<ChangedDestination> {
  return requestJson('PATCH', `${PATH}/${id}`, changedDestinationSchema, { body });
}

export function switchDestination(destination: Destination, is_on: boolean): Promise<ChangedDestination> {
  const {
    id,
    revision,
    name,
    config,
    units,
    time_zone,
    announces,
    all_alarms,
    own_receivers,
    group_s,
    notices_an_hour,
  } = destination;
  const content = {
    revision,
    name,
    config,
    units,
    time_zone,
    announces,
    all_alarms,
    own_receivers,
    group_s,
    notices_an_hour,
  };
  return changeDestination(id, { ...content, is_on });
}

export function removeDestination(id: string): Promise<void> {
  return sendToLookout('DELETE', `${PATH}/${id}`);
}

/** @returns the id of its delivery */
export async function sendTrial(id: string): Promise<string> {
  return (await requestJson('POST', `${PATH}/${id}/trial`, trialSchema)).delivery;
}

/** Earlier secrets still sign, until they are dropped. */
export function addSecret(id: string): Promise<ChangedDestination> {
  return requestJson('POST', `${PATH}/${id}/secret`, changedDestinationSchema);
}

export function dropOldSecrets(id: string): Promise<ChangedDestination> {
  return requestJson('DELETE', `${PATH}/${id}/secret`, changedDestinationSchema);
}

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

/** The deliveries of an alarm. They are read again when the alarm changes, and sooner while one waits. */
export function alarmDeliveriesQuery({ id, state, count }: Alarm) {
  return queryOptions<DeliveriesAnswer, LookoutRequestError>({
    queryKey: ['alarm-deliveries', id, state, count],
    queryFn: ({ signal }) => requestJson('GET', `/api/alarms/${id}/deliveries`, deliveriesSchema, { signal }),
    refetchInterval: ({ state: { data } }) => refreshMs(data),
    placeholderData: keepPreviousData,
    ...FAILS_AT_ONCE,
  });
}

export function destinationDeliveriesQuery(id: string) {
  return queryOptions<DeliveriesAnswer, LookoutRequestError>({
    queryKey: ['destination-deliveries', id],
    queryFn: ({ signal }) =>
      requestJson('GET', `/api/admin/destinations/${id}/deliveries`, deliveriesSchema, { signal }),
    refetchInterval: ({ state: { data } }) => refreshMs(data),
    ...FAILS_AT_ONCE,
  });
}

function refreshMs(data: DeliveriesAnswer | undefined): number {
  return data?.deliveries.some(({ state }) => state === 'waiting') ? WAITING_MS : SETTLED_MS;
}
