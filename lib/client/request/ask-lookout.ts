import { type ApiErrorCode, errorAnswerSchema } from '#lib/api/error-code.ts';

/** How asking Lookout's own server can go wrong; each reads differently on screen. */
export type AskFailure =
  /** No answer came at all, or not in time. */
  | 'unreachable'
  | 'signed-out'
  /** An answer came that says no. */
  | 'refused'
  /** An answer came that is not one of ours. */
  | 'unreadable';

export interface AskErrorDetails {
  /** Of a refusal: a code of the app's own, or whatever something in between wrote in its place. */
  readonly code?: ApiErrorCode | (string & {}) | undefined;
  /** Of a refusal: seconds to wait, where it says so. */
  readonly retryAfterS?: number | undefined;
  readonly cause?: unknown;
}

export class AskError extends Error {
  readonly kind: AskFailure;
  readonly code: string | undefined;
  readonly retryAfterS: number | undefined;

  constructor(kind: AskFailure, { code, retryAfterS, cause }: AskErrorDetails = {}) {
    super(`asking Lookout failed: ${code ?? kind}`, { cause });
    this.kind = kind;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

/**
 * Asks Lookout's own server for something that is not positions.
 * @returns the answer, where it is a yes
 * @throws AskError otherwise, also where `signal` was aborted
 */
export async function askLookout(address: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address, { cache: 'no-store', redirect: 'error', ...init });
  } catch (cause) {
    throw new AskError('unreachable', { cause });
  }
  if (answer.ok) return answer;
  const body: unknown = await answer.json().catch(() => undefined);
  const code = errorAnswerSchema.safeParse(body).data?.error.code;
  // Whatever stands between may say 401 in words of its own.
  if (answer.status === 401 && code !== 'sign_in_refused') throw new AskError('signed-out', { code });
  const seconds = answer.headers.get('retry-after') ?? '';
  throw new AskError('refused', { code, retryAfterS: /^\d+$/.test(seconds) ? Number(seconds) : undefined });
}

/** Sends a body of JSON by POST. @throws AskError as `askLookout` does */
export async function tellLookout(address: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await askLookout(address, { method: 'POST', headers, body: JSON.stringify(body) });
}
