import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { type DoctorAnswer, doctorAnswerSchema } from '#lib/api/operation/doctor-answer.ts';
import { type ReadTokensAnswer, readTokensSchema } from '#lib/api/outputs/read-token.ts';
import { type AccountAnswer, accountAnswerSchema, type People, peopleSchema } from '#lib/api/people/account.ts';
import {
  AUDIT_KINDS,
  AUDIT_TEXT_MAX_LENGTH,
  type AuditAnswer,
  type AuditKind,
  auditAnswerSchema,
} from '#lib/api/people/audit-event.ts';
import { type HourSpan, type HoursAnswer, hoursAnswerSchema } from '#lib/api/receivers/receiver-hours.ts';
import { type ReceiversAnswer, receiversAnswerSchema } from '#lib/api/receivers/receivers-answer.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

/** Reads for the pages of the account and of admins: sessions, people, read tokens, receivers and the audit. */

const REFRESH_MS = 15_000;
/** Receivers connect and disconnect by the second. */
const RECEIVERS_REFRESH_MS = 3000;

export function accountQuery() {
  return queryOptions<AccountAnswer, LookoutRequestError>({
    queryKey: ['account'],
    queryFn: ({ signal }) => requestJson('GET', '/api/account', accountAnswerSchema, { signal }),
    refetchInterval: REFRESH_MS,
    ...FAILS_AT_ONCE,
  });
}

export function peopleQuery() {
  return queryOptions<People, LookoutRequestError>({
    queryKey: ['people'],
    queryFn: ({ signal }) => requestJson('GET', '/api/admin/people', peopleSchema, { signal }),
    refetchInterval: REFRESH_MS,
    ...FAILS_AT_ONCE,
  });
}

export function readTokensQuery() {
  return queryOptions<ReadTokensAnswer, LookoutRequestError>({
    queryKey: ['read-tokens'],
    queryFn: ({ signal }) => requestJson('GET', '/api/admin/read-tokens', readTokensSchema, { signal }),
    refetchInterval: REFRESH_MS,
    ...FAILS_AT_ONCE,
  });
}

/** The service stores hours this often. */
const HOURS_REFRESH_MS = 60_000;

/** Keeps the last span on screen until the next one is read. */
export function receiverHoursQuery(span: HourSpan) {
  return queryOptions<HoursAnswer, LookoutRequestError>({
    queryKey: ['receiver-hours', span],
    queryFn: ({ signal }) =>
      requestJson('GET', `/api/admin/receivers/hours?hours=${span}`, hoursAnswerSchema, { signal }),
    refetchInterval: ({ state }) => state.error?.code !== 'not_found' && HOURS_REFRESH_MS,
    placeholderData: keepPreviousData,
    ...FAILS_AT_ONCE,
  });
}

/** The receivers. They are polled while the page is visible, until the server answers that there are none. */
export function receiversQuery() {
  return queryOptions<ReceiversAnswer, LookoutRequestError>({
    queryKey: ['receivers'],
    queryFn: ({ signal }) => requestJson('GET', '/api/admin/receivers', receiversAnswerSchema, { signal }),
    refetchInterval: ({ state }) => state.error?.code !== 'not_found' && RECEIVERS_REFRESH_MS,
    ...FAILS_AT_ONCE,
  });
}

/** Longer than all checks together take. */
const DOCTOR_TIMEOUT_MS = 12_000;

/** It is not read again by itself: a finding would move while an admin reads it. */
export function doctorQuery() {
  return queryOptions<DoctorAnswer, LookoutRequestError>({
    queryKey: ['doctor'],
    queryFn: ({ signal }) =>
      requestJson('GET', '/api/admin/doctor', doctorAnswerSchema, { signal, timeoutMs: DOCTOR_TIMEOUT_MS }),
    refetchOnWindowFocus: false,
    ...FAILS_AT_ONCE,
  });
}

export interface AuditChoice {
  readonly operator: string;
  readonly kind: AuditKind | '';
}

/** The choice that an address or a form holds. Impossible values are ignored. */
export function auditChoice({ operator, kind }: Readonly<Record<string, unknown>>): AuditChoice {
  const name = typeof operator === 'string' ? operator.trim() : '';
  return {
    operator: name.length > AUDIT_TEXT_MAX_LENGTH ? '' : name,
    kind: AUDIT_KINDS.find((known) => known === kind) ?? '',
  };
}

/** The audit in pages. It is not read again by itself: rows would move while an admin reads them. */
export function auditQuery({ operator, kind }: AuditChoice) {
  return infiniteQueryOptions<
    AuditAnswer,
    LookoutRequestError,
    InfiniteData<AuditAnswer, string | undefined>,
    readonly string[],
    string | undefined
  >({
    queryKey: ['audit', operator, kind],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        ...(operator !== '' && { operator }),
        ...(kind !== '' && { kind }),
        ...(pageParam !== undefined && { before: pageParam }),
      });
      return requestJson('GET', `/api/admin/audit?${query}`, auditAnswerSchema, { signal });
    },
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    ...FAILS_AT_ONCE,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** Reads the newest entries again, and forgets the older pages. */
export function refetchAudit(queries: QueryClient, choice: AuditChoice): Promise<void> {
  const { queryKey } = auditQuery(choice);
  queries.setQueryData(
    queryKey,
    (read) => read && { pages: read.pages.slice(0, 1), pageParams: read.pageParams.slice(0, 1) },
  );
  return queries.refetchQueries({ queryKey });
}
