import { type InfiniteData, infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import {
  AUDIT_KINDS,
  AUDIT_TEXT_MAX_LENGTH,
  type AuditAnswer,
  type AuditKind,
  auditAnswerSchema,
} from '#lib/api/people/audit-event.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

export interface AuditChoice {
  readonly operator: string;
  readonly kind: AuditKind | '';
}

/** Ignores impossible values. */
export function auditChoice({ operator, kind }: Readonly<Record<string, unknown>>): AuditChoice {
  const name = typeof operator === 'string' ? operator.trim() : '';
  return {
    operator: name.length > AUDIT_TEXT_MAX_LENGTH ? '' : name,
    kind: AUDIT_KINDS.find((known) => known === kind) ?? '',
  };
}

/** In pages; not refetched automatically: rows would move while an admin reads them. */
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
