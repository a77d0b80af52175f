import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import {
  changedIncidentSchema,
  type Incident,
  type IncidentAnswer,
  incidentAnswerSchema,
  incidentsSchema,
  type NewIncident,
  type NewIncidentNote,
  type OneIncident,
  oneIncidentSchema,
} from '#lib/api/watching/incidents.ts';
import { type SightingCheck, type SightingReport, sightingCheckSchema } from '#lib/api/watching/sightings.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

const KEY = ['incidents'] as const;
/** Changes of colleagues appear after so long. */
const AGAIN_MS = 10_000;
const PATH = '/api/incidents';

/** All incidents, the latest first. */
export function incidentsQuery() {
  return queryOptions({
    queryKey: KEY,
    queryFn: ({ signal }) => requestJson('GET', PATH, incidentsSchema, { signal }),
    ...FAILS_AT_ONCE,
    refetchInterval: AGAIN_MS,
  });
}

/** The latest first. Every page shows them. */
export function useOpenIncidents(): readonly Incident[] {
  const { data } = useQuery(incidentsQuery());
  return (data?.incidents ?? []).filter(({ state }) => state === 'open');
}

/** One incident with everything that belongs to it. */
export function incidentQuery(id: string) {
  return queryOptions<OneIncident, LookoutRequestError>({
    queryKey: [...KEY, id],
    queryFn: ({ signal }) => requestJson('GET', `${PATH}/${id}`, oneIncidentSchema, { signal }),
    ...FAILS_AT_ONCE,
    refetchInterval: AGAIN_MS,
  });
}

/** @param isOpen of an incident that is open, the answer changes */
export function incidentAnswerQuery(id: string, isOpen: boolean) {
  return queryOptions<IncidentAnswer, LookoutRequestError>({
    queryKey: [...KEY, id, 'answer'],
    queryFn: ({ signal }) => requestJson('GET', `${PATH}/${id}/answer`, incidentAnswerSchema, { signal }),
    ...FAILS_AT_ONCE,
    ...(isOpen && { refetchInterval: AGAIN_MS }),
  });
}

/** @throws LookoutRequestError, as all below */
export async function openIncident(body: NewIncident): Promise<Incident> {
  return (await requestJson('POST', PATH, changedIncidentSchema, { body })).incident;
}

export function addIncidentNote(id: string, body: NewIncidentNote): Promise<void> {
  return sendToLookout('POST', `${PATH}/${id}/notes`, body);
}

export function addIncidentSighting(id: string, body: SightingReport): Promise<void> {
  return sendToLookout('POST', `${PATH}/${id}/sightings`, body);
}

export function addIncidentAlarms(id: string, alarms: readonly string[], remark: string): Promise<void> {
  return sendToLookout('POST', `${PATH}/${id}/alarms`, { alarms, remark });
}

export function pinTracks(id: string, tracks: readonly string[], remark: string): Promise<void> {
  return sendToLookout('POST', `${PATH}/${id}/tracks`, { tracks, remark });
}

/** The server may read the past for so long. */
const CHECK_MAX_MS = 60 * SECOND_MS;

export function checkSighting(body: SightingReport): Promise<SightingCheck> {
  return requestJson('POST', '/api/sightings/check', sightingCheckSchema, { body, timeoutMs: CHECK_MAX_MS });
}

/** Call it after this page changed an incident. */
export async function incidentsChanged(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: KEY });
}
