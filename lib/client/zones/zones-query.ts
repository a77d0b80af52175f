import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  type NewZone,
  type PricedZone,
  pricedZoneSchema,
  type Zone,
  type ZoneChange,
  type ZonePrice,
  type ZonesAnswer,
  zonePriceSchema,
  zonesSchema,
} from '#lib/api/watching/zones.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { fetchLookout, type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, type KeptAnswer, requestJson } from '../request/request-json.ts';
import type { ZoneDraft } from './zone-draft.ts';

export const ZONES_KEY = ['zones'] as const;

/** Zones are read again this often, since other operators change shared ones. */
const AGAIN_MS = 30_000;
/** The time of a replay is rounded to it. */
const PAST_STEP_MS = 60_000;

/** The last answer about the present zones. */
const kept: KeptAnswer<ZonesAnswer> = { last: undefined };

/** @param at a replayed time; `undefined`: now */
export function zonesQuery(at?: UpstreamInstant) {
  const then = at === undefined ? undefined : Math.floor(epochMs(at) / PAST_STEP_MS) * PAST_STEP_MS;
  const query = then === undefined ? '' : `?at=${new Date(then).toISOString()}`;
  return queryOptions<ZonesAnswer, LookoutRequestError>({
    queryKey: [...ZONES_KEY, then],
    queryFn: ({ signal }) =>
      requestJson('GET', `/api/zones${query}`, zonesSchema, { signal, ...(then === undefined && { kept }) }),
    ...FAILS_AT_ONCE,
    ...(then === undefined ? { refetchInterval: AGAIN_MS } : { staleTime: Number.POSITIVE_INFINITY }),
  });
}

/** @throws LookoutRequestError */
export function addZone(zone: NewZone): Promise<PricedZone> {
  return requestJson('POST', '/api/zones', pricedZoneSchema, { body: zone });
}

/** Adds all zones in one transaction, or none. @throws LookoutRequestError */
export async function addZones(zones: readonly NewZone[]): Promise<void> {
  const body = zones.map((zone) => JSON.stringify(zone)).join('\n');
  await fetchLookout('/api/zones/import', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  });
}

/** @throws LookoutRequestError */
export function changeZone(id: string, change: ZoneChange): Promise<PricedZone> {
  return requestJson('PATCH', `/api/zones/${id}`, pricedZoneSchema, { body: change });
}

/** @throws LookoutRequestError */
export function removeZone(id: string): Promise<void> {
  return sendToLookout('DELETE', `/api/zones/${id}`);
}

/** Gives zones to another person: all, or none. @throws LookoutRequestError */
export function handOverZones(person: string, zones: readonly Zone[]): Promise<void> {
  return sendToLookout('PUT', '/api/zones/owner', {
    person,
    zones: zones.map(({ id, revision }) => ({ id, revision })),
  });
}

/** The price of a draft; it is not requested without a shape. */
export function zonePriceQuery(draft: ZoneDraft) {
  const { shape, rules, before } = draft;
  return queryOptions<ZonePrice, LookoutRequestError>({
    queryKey: ['zone-price', shape, rules, before?.id],
    queryFn: ({ signal }) =>
      requestJson('POST', '/api/zones/price', zonePriceSchema, { body: { id: before?.id, shape, rules }, signal }),
    enabled: shape !== undefined && !draft.isDrawing,
    ...FAILS_AT_ONCE,
    staleTime: 60_000,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });
}
