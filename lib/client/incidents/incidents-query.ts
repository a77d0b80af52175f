import { type QueryClient, queryOptions } from '@tanstack/react-query';
import {
  type IncidentAnswer,
  incidentAnswerSchema,
  incidentsSchema,
  type OneIncident,
  oneIncidentSchema,
} from '#lib/api/watching/incidents.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

const KEY = ['incidents'] as const;
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
