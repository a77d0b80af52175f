import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  type NewZone,
  type PricedZone,
  pricedZoneSchema,
  type ZoneChange,
  type ZonePrice,
  type ZonesAnswer,
  zonePriceSchema,
  zonesSchema,
} from '#lib/api/watching/zones.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';
import type { ZoneDraft } from './zone-draft.ts';

export const ZONES_KEY = ['zones'] as const;

/** Other operators share zones and change them meanwhile. */
const AGAIN_MS = 30_000;
/** A replay shows the zones of its time, to this: a zone changes rarely. */
const PAST_STEP_MS = 60_000;

/**
 * The zones that this operator sees.
 * @param at a replayed time: the zones as they were then; `undefined`: as they are
 */
export function zonesQuery(at?: UpstreamInstant) {
  const then = at === undefined ? undefined : Math.floor(epochMs(at) / PAST_STEP_MS) * PAST_STEP_MS;
  const query = then === undefined ? '' : `?at=${new Date(then).toISOString()}`;
  return queryOptions<ZonesAnswer, LookoutRequestError>({
    queryKey: [...ZONES_KEY, then],
    queryFn: ({ signal }) => requestJson('GET', `/api/zones${query}`, zonesSchema, { signal }),
    ...FAILS_AT_ONCE,
    ...(then === undefined ? { refetchInterval: AGAIN_MS } : { staleTime: Number.POSITIVE_INFINITY }),
  });
}

/** @throws LookoutRequestError if it was not saved */
export function addZone(zone: NewZone): Promise<PricedZone> {
  return requestJson('POST', '/api/zones', pricedZoneSchema, { body: zone });
}

/** @throws LookoutRequestError if it was not saved */
export function changeZone(id: string, change: ZoneChange): Promise<PricedZone> {
  return requestJson('PATCH', `/api/zones/${id}`, pricedZoneSchema, { body: change });
}

/** @throws LookoutRequestError if it was not removed */
export function removeZone(id: string): Promise<void> {
  return sendToLookout('DELETE', `/api/zones/${id}`);
}

/** The price of a draft, which is not saved. Without a shape it is not requested. */
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
