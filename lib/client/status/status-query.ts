import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { AskError, type AskFailure, askLookout } from '../request/ask-lookout.ts';
import { type AllowanceStatus, allowanceStatus } from './allowance-status.ts';

const POLL_MS = 5000;
/** The answer is made from memory: one that takes longer does not come. */
const ANSWER_WITHIN_MS = 8000;

/** Why the allowance is not reported now, and since when. */
export class StatusError extends Error {
  readonly kind: AskFailure;
  /** When asking first failed since the last answer; `undefined` where that was not known then. */
  readonly since: UpstreamInstant | undefined;

  constructor(cause: AskError, since: UpstreamInstant | undefined) {
    super(cause.message, { cause });
    this.kind = cause.kind;
    this.since = since;
  }
}

const key = ['status'] as const;

/**
 * What Lookout's server reports of the account's allowance, at once and then every 5 s while somebody looks. A failure takes
 * nothing away: the last answer stays, and ages. null before the first answer.
 * @param address of `GET /api/status`
 */
export function statusQuery(address: string, now: () => UpstreamInstant | undefined) {
  return queryOptions<AllowanceStatus | null, StatusError>({
    queryKey: key,
    queryFn: async ({ signal, client }) => {
      const before = client.getQueryState<AllowanceStatus | null, StatusError>(key)?.error;
      try {
        return await askStatus(address, signal);
      } catch (error) {
        if (!(error instanceof AskError)) throw error;
        throw new StatusError(error, before ? before.since : now());
      }
    },
    // With data from the start the error of one attempt stands until the next has come to something.
    initialData: null,
    refetchInterval: POLL_MS,
    refetchOnWindowFocus: 'always',
    refetchOnReconnect: 'always',
    // Offline, too, a failure is said and not waited out.
    networkMode: 'always',
    retry: false,
    staleTime: 0,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** Has the status asked for now, for whoever shows it. */
export function refreshStatus(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: key });
}

async function askStatus(address: string, signal: AbortSignal): Promise<AllowanceStatus> {
  const answer = await askLookout(address, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
  });
  // A body that breaks off is no answer; one that comes whole and is not ours is another matter.
  const text = await answer.text().catch((cause: unknown) => {
    throw new AskError('unreachable', { cause });
  });
  try {
    return allowanceStatus(statusAnswerSchema.parse(JSON.parse(text)));
  } catch (cause) {
    throw new AskError('unreadable', { cause });
  }
}
