import 'server-only';
import type { ApiErrorCode } from '#lib/api/error-code.ts';

/** An expected refusal. Its message is for the caller and says what to do instead. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly retryAfterS: number | undefined;

  constructor(code: ApiErrorCode, message: string, retryAfterS?: number) {
    super(message);
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}
