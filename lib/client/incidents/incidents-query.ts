import { type QueryClient, queryOptions } from '@tanstack/react-query';
import * as z from 'zod/mini';
import {
  type Incident,
  type IncidentAnswer,
  incidentAnswerSchema,
  incidentSchema,
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
const openedSchema = z.object({ incident: incidentSchema });
/** Changes of colleagues appear after so long. */
const AGAIN_MS = 10_000;

/** All incidents, the latest first. */
export function incidentsQuery() {
  return queryOptions({
    queryKey: KEY,
    queryFn: ({ signal }) => requestJson('GET', '/api/incidents', incidentsSchema, { signal }),
    ...FAILS_AT_ONCE,
    refetchInterval: AGAIN_MS,
  });
}

/** One incident with everything that belongs to it. */
export function incidentQuery(id: string) {
  return queryOptions<OneIncident, LookoutRequestError>({
    queryKey: [...KEY, id],
    queryFn: ({ signal }) => requestJson('GET', `/api/incidents/${id}`, oneIncidentSchema, { signal }),
    ...FAILS_AT_ONCE,
    refetchInterval: AGAIN_MS,
  });
}

/** @param isOpen of an incident that is open, the answer changes */
export function incidentAnswerQuery(id: string, isOpen: boolean) {
  return queryOptions<IncidentAnswer, LookoutRequestError>({
    queryKey: [...KEY, id, 'answer'],
    queryFn: ({ signal }) => requestJson('GET', `/api/incidents/${id}/answer`, incidentAnswerSchema, { signal }),
    ...FAILS_AT_ONCE,
    ...(isOpen && { refetchInterval: AGAIN_MS }),
  });
}

/** Call it after this page changed an incident. */
export async function incidentsChanged(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: KEY });
}

/** @throws LookoutRequestError, as all of the following */
export async function openIncident(incident: NewIncident): Promise<Incident> {
  const opened = await requestJson('POST', '/api/incidents', openedSchema, { body: incident });
  return opened.incident;
}

export async function addIncidentNote(id: string, note: NewIncidentNote): Promise<void> {
  await sendToLookout('POST', `/api/incidents/${id}/notes`, note);
}

/** Joins what belongs to it, with one remark. */
export async function addToIncident(
  id: string,
  what: { readonly alarms: readonly string[] } | { readonly tracks: readonly string[] },
  remark = '',
): Promise<void> {
  await sendToLookout('POST', `/api/incidents/${id}/${'alarms' in what ? 'alarms' : 'tracks'}`, { ...what, remark });
}

/** The server may load the past for so long. */
const CHECK_MAX_MS = 60 * SECOND_MS;

export function checkSighting(report: SightingReport): Promise<SightingCheck> {
  return requestJson('POST', '/api/sightings/check', sightingCheckSchema, { body: report, timeoutMs: CHECK_MAX_MS });
}

/** Checks it once more, and keeps it with its check. */
export async function addSighting(id: string, report: SightingReport): Promise<void> {
  await requestJson('POST', `/api/incidents/${id}/sightings`, z.unknown(), { body: report, timeoutMs: CHECK_MAX_MS });
}
