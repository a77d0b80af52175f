import 'server-only';
import type { ApiErrorCode } from '#lib/api/error-code.ts';

/** Instrumentation and route handlers are separate module graphs with separate copies of this class; the symbol is shared. */
const brand = Symbol.for('lookout.api-error');

/** An expected refusal. Its message is shown to the caller and says what to do instead. */
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
