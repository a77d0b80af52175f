import * as z from 'zod/mini';

/** HTTP status of every error code of the app's own API. */
export const API_ERRORS = {
  bad_request: 400,
  bad_query: 400,
  bad_body: 400,
  weak_password: 400,
  not_signed_in: 401,
  sign_in_refused: 401,
  outside_lookback: 403,
  cross_site: 403,
  not_permitted: 403,
  account_unfinished: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_large: 413,
  too_many_attempts: 429,
  too_many_requests: 429,
  too_many_loads: 429,
  not_owner: 403,
  name_taken: 409,
  not_possible: 409,
  too_many_views: 409,
  too_many_overlays: 409,
  map_unavailable: 503,
  database_lost: 503,
  not_confirmed: 428,
  storage_failed: 507,
  internal: 500,
} as const satisfies Record<string, number>;

export type ApiErrorCode = keyof typeof API_ERRORS;

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

/** The body of every error response. Any code is accepted: the response may come from a proxy. */
export const errorAnswerSchema = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
  request_id: z.string(),
});

export type ErrorAnswer = z.infer<typeof errorAnswerSchema>;
