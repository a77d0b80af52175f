import * as z from 'zod/mini';

/** HTTP status of every code. */
export const API_ERRORS = {
  /** The address, the `Host` header or the body's length is invalid; the connection may close. */
  bad_request: 400,
  /** A parameter is missing, unknown, repeated or malformed; the message says what to write. */
  bad_query: 400,
  /** The body is missing, malformed, or not JSON. */
  bad_body: 400,
  /** The new password is too short, too long or too common. */
  weak_password: 400,
  /** There is no session or token, or it has ended. */
  not_signed_in: 401,
  /** Name, password or passkey is wrong. */
  sign_in_refused: 401,
  /** The window starts more than 30 days ago. */
  outside_lookback: 403,
  /** Another site sent the request, or a request that changes state has no proof of its origin. */
  cross_site: 403,
  /** The operator's role, or the token, lacks the permission. */
  not_permitted: 403,
  /** The token is for another area. */
  outside_area: 403,
  /** Only an admin may permit so much, or for so long; the message gives the bound. */
  needs_admin: 403,
  /** The operator must first choose a password or add a passkey. */
  account_unfinished: 403,
  /** The address does not exist, or its feature is not set up. */
  not_found: 404,
  /** The address does not support this method. */
  method_not_allowed: 405,
  /** The body is larger than any valid one. */
  too_large: 413,
  /** With `Retry-After` in seconds. */
  too_many_attempts: 429,
  /**
   * 512 requests of this address without a session are waiting, or the pages of the operator wait with 16 different
   * filters; with `Retry-After` in seconds.
   */
  too_many_requests: 429,
  /** The token is used more often than it may, with `Retry-After` in seconds; or its reads are still waiting. */
  too_many_reads: 429,
  /** The operator has the maximum of running and queued loads. */
  too_many_loads: 429,
  /** The operator has the maximum of running and waiting requests of this kind. */
  too_much_work: 429,
  /** The operator has stored as much as fits into a day; with `Retry-After` in seconds. */
  too_many_changes: 429,
  /** The view, overlay, zone or permit belongs to another operator. */
  not_owner: 403,
  /** The name is in use. */
  name_taken: 409,
  /** The change would lock every admin out, or does not apply; the message gives the reason. */
  not_possible: 409,
  /** The operator has the maximum of saved views. */
  too_many_views: 409,
  /** The operator has the maximum of overlays. */
  too_many_overlays: 409,
  /** Lookout has the maximum of zones. */
  too_many_zones: 409,
  /** The zone or Lookout has the maximum of current and coming permits. */
  too_many_permits: 409,
  /** Lookout has the maximum of tokens. */
  too_many_read_tokens: 409,
  /** Not all of the past could be read, which `incomplete` accepts. */
  past_incomplete: 409,
  /** Another change came first: read the zone, alarm or incident again. */
  revision_conflict: 409,
  /** The map file is missing, damaged or being replaced. */
  map_unavailable: 503,
  /** Lookout's PostgreSQL does not answer; with `Retry-After` in seconds. */
  database_lost: 503,
  /** Another process changes the same data, or has locked it; with `Retry-After` in seconds. */
  database_busy: 503,
  /** Changing ways to sign in needs `POST /api/account/confirmation` first. */
  not_confirmed: 428,
  /** The server's disk cannot be read or written; nothing changed. */
  storage_failed: 507,
  /** A defect; the server's log has details under the request id. */
  internal: 500,
} as const satisfies Record<string, number>;

/** No route takes a larger body: certificates and a key of a destination. */
export const BODY_MAX_BYTES = 131_072;
/** Of one zone or area: more than 500 corners take with all rules and permits. */
export const ZONE_BODY_MAX_BYTES = 65_536;

export type ApiErrorCode = keyof typeof API_ERRORS;

/** Instrumentation and route handlers have separate copies of this class; the symbol is shared. */
const brand = Symbol.for('lookout.api-error');

/** The message is shown to the caller and says what to do. */
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

/** Any code is accepted: the response may come from a proxy. */
export const errorAnswerSchema = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
  request_id: z.string(),
});

export type ErrorAnswer = z.infer<typeof errorAnswerSchema>;

export const REQUEST_ID_HEADER = 'x-request-id';

/** Cannot look like another part of a log line. */
const acceptable = /^[A-Za-z0-9_-]{8,64}$/;

/** From a proxy or a script, to join its log with ours. */
export function acceptableRequestId(text: string | null | undefined): string | undefined {
  return text !== null && text !== undefined && acceptable.test(text) ? text : undefined;
}
