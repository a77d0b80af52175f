import { type ApiErrorCode, errorAnswerSchema } from '#lib/api/error-code.ts';
import { retryAfterMs } from '#lib/time/retry-after.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/**
 * Requests to Lookout's server, and their failures: each is a `LookoutRequestError`, which says what is to blame.
 * Nothing here retries.
 */

export type LookoutRequestFailure =
  /** The answer is missing, incomplete or late. */
  | 'unreachable'
  | 'signed-out'
  | 'refused'
  /** The page could not read a whole answer: a defect of the page, or its server is of another version. */
  | 'unreadable';

/** Client-side: the sign-in by passkey failed, and `said` gives the reason. */
export const PASSKEY_NOT_USED = 'passkey_not_used';

/** Client-side: the sign-in was accepted, and the browser did not keep its cookie. */
export const COOKIE_NOT_KEPT = 'cookie_not_kept';

export interface LookoutRequestErrorDetails {
  /** If refused: one of the app's own codes, or one set by a proxy. */
  readonly code?: ApiErrorCode | (string & {}) | undefined;
  /** Status of an answer that refused. */
  readonly status?: number | undefined;
  /** Seconds to wait, if the refusal gives them. */
  readonly retryAfterS?: number | undefined;
  /** If refused: the server's sentence about it. */
  readonly said?: string | undefined;
  readonly cause?: unknown;
}

export class LookoutRequestError extends Error {
  readonly kind: LookoutRequestFailure;
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly retryAfterS: number | undefined;
  readonly said: string | undefined;

  constructor(
    kind: LookoutRequestFailure,
    { code, status, retryAfterS, said, cause }: LookoutRequestErrorDetails = {},
  ) {
    super(`the request to Lookout failed: ${code ?? kind}`, { cause });
    this.name = 'LookoutRequestError';
    this.kind = kind;
    this.code = code;
    this.status = status;
    this.retryAfterS = retryAfterS;
    this.said = said;
  }
}

/** Proxies answer with these for a server that does not answer. */
const GATEWAY_STATUSES: readonly number[] = [502, 503, 504];

/** @throws LookoutRequestError unless the status is 2xx, or 304 of a conditional request, also if `init.signal` was aborted */
export async function fetchLookout(address: string, init: RequestInit = {}): Promise<Response> {
  return acceptedAnswer(await arrived(fetch(address, { cache: 'no-store', redirect: 'error', ...init })));
}

/** @throws LookoutRequestError of an answer that `fetchLookout` throws for */
export async function acceptedAnswer(answer: Response): Promise<Response> {
  if (answer.ok || answer.status === 304) return answer;
  const body: unknown = await answer.json().catch(() => undefined);
  const { code, message: said } = errorAnswerSchema.safeParse(body).data?.error ?? {};
  const { status } = answer;
  // A proxy may also respond with 401, without one of our codes.
  if (status === 401 && code !== 'sign_in_refused') throw new LookoutRequestError('signed-out', { code });
  if (code === undefined && GATEWAY_STATUSES.includes(status)) throw new LookoutRequestError('unreachable', { status });
  const [retryAfter, date] = [answer.headers.get('retry-after') ?? undefined, answer.headers.get('date') ?? undefined];
  const waitMs = retryAfterMs({ retryAfter, date }, Date.now());
  const retryAfterS = waitMs === undefined ? undefined : waitMs / SECOND_MS;
  throw new LookoutRequestError('refused', { code, status, retryAfterS, said });
}

/**
 * Waits for the network: what rejects here is no defect of the page, whatever class of error it is.
 * @throws LookoutRequestError
 */
export async function arrived<Arriving>(arriving: Promise<Arriving>): Promise<Arriving> {
  try {
    return await arriving;
  } catch (cause) {
    throw new LookoutRequestError('unreachable', { cause });
  }
}

/** A body that is read piece by piece. It fails with a LookoutRequestError if the network does. */
export function arrivingBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await arrived(reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** An error that does not come from the network was made by the page while it read the answer. */
export function requestErrorOf(error: unknown): LookoutRequestError {
  return error instanceof LookoutRequestError ? error : new LookoutRequestError('unreadable', { cause: error });
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
