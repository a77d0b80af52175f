import { z } from 'zod';

/** How the app answers what it expects to go wrong: the one map from code to status. */
export const API_ERRORS = {
  bad_query: 400,
  bad_body: 400,
  not_signed_in: 401,
  sign_in_refused: 401,
  outside_lookback: 403,
  cross_site: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_large: 413,
  too_many_attempts: 429,
  internal: 500,
} as const satisfies Record<string, number>;

export type ApiErrorCode = keyof typeof API_ERRORS;

/** Every refusal of the app's own API. Any code passes: an answer may come from something in between. */
export const errorAnswerSchema = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
  request_id: z.string(),
});

export type ErrorAnswer = z.infer<typeof errorAnswerSchema>;
