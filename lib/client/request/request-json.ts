import { reportPageError } from '../page-errors/page-errors.ts';
import { arrived, fetchLookout, LookoutRequestError } from './fetch-lookout.ts';

/** The server answers these from memory or a file, so a longer wait is pointless. */
const ANSWER_TIMEOUT_MS = 8000;

/** Options of queries that fail at once, also while offline, instead of pausing. */
export const FAILS_AT_ONCE = { networkMode: 'always', retry: false } as const;

interface Schema<Answer> {
  safeParse(body: unknown): { readonly data?: Answer | undefined; readonly error?: unknown };
}

interface JsonRequestOptions {
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** Keeps the answer, for callers that ask again: an unchanged one is not sent again. */
  readonly kept?: KeptAnswer<unknown>;
}

export interface KeptAnswer<Answer> {
  last: { readonly etag: string; readonly answer: Answer } | undefined;
}

/** `AbortSignal.any`, which supported browsers lack. */
function anyOf(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  for (const one of signals) {
    if (one.aborted) controller.abort(one.reason);
    else one.addEventListener('abort', () => controller.abort(one.reason), { signal });
  }
  return signal;
}

/** @throws LookoutRequestError if the request failed, or its answer does not match the schema */
export async function requestJson<Answer>(
  method: string,
  address: string,
  schema: Schema<Answer>,
  { body, signal, timeoutMs = ANSWER_TIMEOUT_MS, kept }: JsonRequestOptions = {},
): Promise<Answer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const answer = await fetchLookout(address, {
    method,
    signal: signal ? anyOf([signal, timeout]) : timeout,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    ...(kept?.last && { headers: { 'if-none-match': kept.last.etag } }),
  });
  if (answer.status === 304 && kept?.last) return kept.last.answer as Answer;
  // A truncated body counts as no answer, a complete but malformed one as unreadable.
  const text = await arrived(answer.text());
  try {
    const { data, error } = schema.safeParse(JSON.parse(text));
    if (data === undefined) throw error;
    const etag = answer.headers.get('etag');
    if (kept) kept.last = etag === null ? undefined : { etag, answer: data };
    return data;
  } catch (cause) {
    reportPageError('answer', cause);
    throw new LookoutRequestError('unreadable', { cause });
  }
}
