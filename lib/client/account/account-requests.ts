import { queryOptions } from '@tanstack/react-query';
import { type AccountAnswer, accountAnswerSchema, type People, peopleSchema } from '#lib/api/people/account.ts';
import { fetchLookout, LookoutRequestError } from '../request/fetch-lookout.ts';

/** The server answers from its files; a longer wait is pointless. */
const ANSWER_TIMEOUT_MS = 8000;
/** Sessions begin and end elsewhere. */
const REFRESH_MS = 15_000;

interface Parser<Answer> {
  safeParse(body: unknown): { readonly data?: Answer | undefined; readonly error?: unknown };
}

/** @throws LookoutRequestError if it was not done, or the answer cannot be read */
export async function askLookout<Answer>(
  method: string,
  address: string,
  parser: Parser<Answer>,
  { body, signal }: { readonly body?: object | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<Answer> {
  const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const answer = await fetchLookout(address, {
    method,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const { data, error } = parser.safeParse(await answer.json().catch(() => undefined));
  if (data === undefined) throw new LookoutRequestError('unreadable', { cause: error });
  return data;
}

const common = { networkMode: 'always', retry: false, staleTime: 0, refetchInterval: REFRESH_MS } as const;

export function accountQuery() {
  return queryOptions<AccountAnswer, LookoutRequestError>({
    queryKey: ['account'],
    queryFn: ({ signal }) => askLookout('GET', '/api/account', accountAnswerSchema, { signal }),
    ...common,
  });
}

export function peopleQuery() {
  return queryOptions<People, LookoutRequestError>({
    queryKey: ['people'],
    queryFn: ({ signal }) => askLookout('GET', '/api/admin/people', peopleSchema, { signal }),
    ...common,
  });
}
