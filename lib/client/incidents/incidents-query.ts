import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import type { closeIncidentSchema, NewIncidentNote } from '#lib/api/watching/incident-actions.ts';
import {
  addedNoteSchema,
  changedIncidentSchema,
  type Incident,
  type IncidentAnswer,
  type IncidentChange,
  incidentAnswerSchema,
  incidentKeySchema,
  incidentsSchema,
  type NewIncident,
  type OneIncident,
  oneIncidentSchema,
} from '#lib/api/watching/incidents.ts';
import { type SightingCheck, type SightingInput, sightingCheckSchema } from '#lib/api/watching/sightings.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

const KEY = ['incidents'] as const;
const ANSWER = 'answer';
/** Changes of colleagues appear after so long. */
const AGAIN_MS = 10_000;
/** The first answer about a day reads all of its past. */
const ANSWER_TIMEOUT_MS = 120_000;
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

/**
 * @param isOpen of an incident that is open, the answer changes
 * @param revision of the incident: the answer to another one is read
 */
export function incidentAnswerQuery(id: string, isOpen: boolean, revision = 0) {
  return queryOptions<IncidentAnswer, LookoutRequestError>({
    queryKey: [...KEY, id, ANSWER, revision],
    queryFn: ({ signal }) => readIncidentAnswer(id, 0, signal),
    ...FAILS_AT_ONCE,
    ...(isOpen && { refetchInterval: AGAIN_MS }),
  });
}

/** @param maxRequests that reading its past may cost, where they use up an allowance */
export function readIncidentAnswer(id: string, maxRequests: number, signal?: AbortSignal): Promise<IncidentAnswer> {
  const address = `${PATH}/${id}/answer?max_requests=${maxRequests}`;
  return requestJson('GET', address, incidentAnswerSchema, { signal, timeoutMs: ANSWER_TIMEOUT_MS });
}

/** The key that `public.pem` of a sealed file is compared with. */
export function incidentKeyQuery() {
  return queryOptions({
    queryKey: ['incident-key'],
    queryFn: ({ signal }) => requestJson('GET', `${PATH}/key`, incidentKeySchema, { signal }),
    ...FAILS_AT_ONCE,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** @throws LookoutRequestError, as all below */
export async function openIncident(body: NewIncident): Promise<Incident> {
  return (await requestJson('POST', PATH, changedIncidentSchema, { body })).incident;
}

export function changeIncident(id: string, body: IncidentChange): Promise<void> {
  return sendToLookout('PATCH', `${PATH}/${id}`, body);
}

/** @returns the id of the note, as `addIncidentSighting` */
export function addIncidentNote(id: string, body: NewIncidentNote): Promise<string> {
  return addEntry(`${PATH}/${id}/notes`, body);
}

/** Checked by the server, which reads the past for it. */
export function addIncidentSighting(id: string, body: SightingInput): Promise<string> {
  return addEntry(`${PATH}/${id}/sightings`, body);
}

async function addEntry(address: string, body: object): Promise<string> {
  const timeoutMs = ANSWER_TIMEOUT_MS;
  return (await requestJson('POST', address, addedNoteSchema, { body, timeoutMs })).note.id;
}

/** The server reads the past for it. */
export function requestSightingCheck(body: SightingInput): Promise<SightingCheck> {
  const timeoutMs = ANSWER_TIMEOUT_MS;
  return requestJson('POST', '/api/sightings/check', sightingCheckSchema, { body, timeoutMs });
}

export function addIncidentAlarms(id: string, alarms: readonly string[], remark: string): Promise<void> {
  return sendToLookout('POST', `${PATH}/${id}/alarms`, { alarms, remark });
}

export function pinTracks(id: string, tracks: readonly string[], remark: string): Promise<void> {
  return sendToLookout('POST', `${PATH}/${id}/tracks`, { tracks, remark });
}

/** Takes as long as the past is read. */
export function requestClosing(id: string, body: z.infer<typeof closeIncidentSchema>): Promise<void> {
  return sendToLookout('POST', `${PATH}/${id}/close`, body);
}

export function requestSeal(id: string, revision: number): Promise<void> {
  return sendToLookout('POST', `${PATH}/${id}/seal`, { revision });
}

export function removeIncident(id: string, reason: string): Promise<void> {
  return sendToLookout('DELETE', `${PATH}/${id}`, { reason });
}

/** Call it after this page changed an incident. An answer takes long to read, and follows the revision. */
export async function incidentsChanged(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: KEY, predicate: ({ queryKey }) => !queryKey.includes(ANSWER) });
}
