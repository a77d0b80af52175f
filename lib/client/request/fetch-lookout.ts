import { type ApiErrorCode, errorAnswerSchema } from '#lib/api/error-code.ts';
import { retryAfterMs } from '#lib/time/retry-after.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

export type LookoutRequestFailure =
  /** No answer, or not in time. */
  'unreachable' | 'signed-out' | 'refused' | 'unreadable';

/** Client-side: the sign-in by passkey failed, and `said` gives the reason. */
export const PASSKEY_NOT_USED = 'passkey_not_used';

/** Client-side: the sign-in was accepted, and the browser did not keep its cookie. */
export const COOKIE_NOT_KEPT = 'cookie_not_kept';

export interface LookoutRequestErrorDetails {
  /** If refused: one of the app's own codes, or one set by a proxy. */
  readonly code?: ApiErrorCode | (string & {}) | undefined;
  /** If refused: seconds to wait, if given. */
  readonly retryAfterS?: number | undefined;
  /** If refused: the server's sentence about it. */
  readonly said?: string | undefined;
  readonly cause?: unknown;
}

export class LookoutRequestError extends Error {
  readonly kind: LookoutRequestFailure;
  readonly code: string | undefined;
  readonly retryAfterS: number | undefined;
  readonly said: string | undefined;

  constructor(kind: LookoutRequestFailure, { code, retryAfterS, said, cause }: LookoutRequestErrorDetails = {}) {
    super(`the request to Lookout failed: ${code ?? kind}`, { cause });
    this.kind = kind;
    this.code = code;
    this.retryAfterS = retryAfterS;
    this.said = said;
  }
}

/** @throws LookoutRequestError unless the status is 2xx, also if `init.signal` was aborted */
export async function fetchLookout(address: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address, { cache: 'no-store', redirect: 'error', ...init });
  } catch (cause) {
    throw new LookoutRequestError('unreachable', { cause });
  }
  if (answer.ok) return answer;
  const body: unknown = await answer.json().catch(() => undefined);
  const { code, message: said } = errorAnswerSchema.safeParse(body).data?.error ?? {};
  // A proxy may also respond with 401, without one of our codes.
  if (answer.status === 401 && code !== 'sign_in_refused') throw new LookoutRequestError('signed-out', { code });
  const [retryAfter, date] = [answer.headers.get('retry-after') ?? undefined, answer.headers.get('date') ?? undefined];
  const waitMs = retryAfterMs({ retryAfter, date }, Date.now());
  const retryAfterS = waitMs === undefined ? undefined : waitMs / SECOND_MS;
  throw new LookoutRequestError('refused', { code, retryAfterS, said });
}

/** @throws LookoutRequestError like `fetchLookout` */
export async function sendToLookout(
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  address: string,
  body?: object,
): Promise<void> {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  await fetchLookout(address, { method, ...json });
}
