import 'server-only';
import type { ApiErrorCode } from '#lib/api/error-code.ts';

/** Instrumentation and route handlers are separate module graphs, and each has a class of its own under this name. */
const brand = Symbol.for('lookout.api-error');

/** An expected refusal. Its message is for the caller and says what to do instead. */
export class ApiError extends Error {
  readonly [brand] = true;
  readonly code: ApiErrorCode;
  readonly retryAfterS: number | undefined;

  constructor(code: ApiErrorCode, message: string, retryAfterS?: number) {
    super(message);
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

export function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && brand in error;
}
