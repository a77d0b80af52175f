import type { OutgoingHttpHeaders } from 'node:http';

/** The contract defines no codes: these are the service's own. */
const STATUS_OF = {
  invalid_request: 400,
  unauthorized: 401,
  grant_inactive: 403,
  grant_expired: 403,
  scope_not_approved: 403,
  outside_lookback: 403,
  not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  encoding_not_supported: 415,
  allowance_used_up: 429,
  address_limit: 429,
  station_limit: 429,
  unavailable: 503,
} as const;

export type RefusalCode = keyof typeof STATUS_OF;

/** Callers see `message`, which discloses nothing internal. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly headers: OutgoingHttpHeaders;

  constructor(code: RefusalCode, message: string, headers: OutgoingHttpHeaders = {}) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return STATUS_OF[this.code];
  }
}
