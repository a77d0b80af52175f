import { queryOptions } from '@tanstack/react-query';
import {
  type StreetMapRequest,
  type StreetMapSize,
  type StreetMapState,
  streetMapSizeSchema,
  streetMapStateSchema,
} from '#lib/api/street-map.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

const PATH = '/api/admin/street-map';
/** The server reads directories of an archive on the web, for two minutes at most. */
const MEASURE_TIMEOUT_MS = 2.5 * MINUTE_MS;

/** How far the fetching of a street map is. */
export function streetMapQuery() {
  return queryOptions<StreetMapState, LookoutRequestError>({
    queryKey: ['street-map'],
    queryFn: ({ signal }) => requestJson('GET', PATH, streetMapStateSchema, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'fetching' ? SECOND_MS : false),
    staleTime: 0,
    ...FAILS_AT_ONCE,
  });
}

/** @throws LookoutRequestError, as below */
export function askForStreetMap(body: StreetMapRequest): Promise<StreetMapSize> {
  return requestJson('POST', PATH, streetMapSizeSchema, { body, timeoutMs: MEASURE_TIMEOUT_MS });
}

export async function cancelStreetMap(): Promise<void> {
  await sendToLookout('DELETE', PATH);
}
