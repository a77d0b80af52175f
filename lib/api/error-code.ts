/** How the app answers what it expects to go wrong: the one map from code to status. Texts for operators stand beside. */
export const API_ERRORS = {
  bad_query: { status: 400, retryable: false },
  bad_body: { status: 400, retryable: false },
  not_signed_in: { status: 401, retryable: false },
  sign_in_refused: { status: 401, retryable: false },
  outside_lookback: { status: 403, retryable: false },
  cross_site: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  too_large: { status: 413, retryable: false },
  too_many_attempts: { status: 429, retryable: true },
  internal: { status: 500, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>;

export type ApiErrorCode = keyof typeof API_ERRORS;
