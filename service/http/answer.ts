// Answers of the service: refusals, each a code with its status, and the headers that every answer has. An answer is sent
// whole, also on a raw socket, and discloses nothing internal.
import { randomUUID } from 'node:crypto';
import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Envelope, ErrorBody } from '#lib/contract/envelope.ts';
import { UPSTREAM_REQUEST_ID_HEADER } from '#lib/contract/operation.ts';

/** The contract lists statuses, but no codes: these are the service's own. */
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

type RefusalCode = keyof typeof STATUS_OF;

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

/** An answer to a request for positions, before it is sent. */
export interface PositionsAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Envelope | ErrorBody;
}

export interface DataRequest {
  readonly requestId: string;
  readonly method: string;
  /** The received target, still encoded. */
  readonly target: string;
  readonly authorization: readonly string[];
  /** The caller's address, as far as the trusted proxies name it. */
  readonly address: string;
}

export type AnswerRequest = (request: DataRequest) => Promise<PositionsAnswer>;

/** Answers with a clock that is wrong by so much; 0 for the right one. */
export type AnsweringAt = (clockOffsetMs: number) => AnswerRequest;

export function refusalAnswer(refusal: Refusal, requestId: string): PositionsAnswer {
  return {
    status: refusal.status,
    headers: refusal.headers,
    body: { error: { code: refusal.code, message: refusal.message }, request_id: requestId },
  };
}

interface SentAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>> & Pick<PositionsAnswer['body'], 'request_id'>;
}

/** The headers of every answer. They forbid intermediate caches to store positions. */
export function commonHeaders(requestId: string): OutgoingHttpHeaders {
  return {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    [UPSTREAM_REQUEST_ID_HEADER]: requestId,
  };
}

/** Sends an answer with its length and the common headers. */
export function sendAnswer(response: ServerResponse, answer: SentAnswer): void {
  const body = Buffer.from(JSON.stringify(answer.body));
  response
    .writeHead(answer.status, {
      ...commonHeaders(answer.body.request_id),
      ...answer.headers,
      'content-length': body.length,
    })
    .end(body);
}

/** Answers on the raw socket what node:http cannot read. */
export function refuseUnreadable(socket: Duplex): void {
  refuseOnSocket(socket, new Refusal('invalid_request', 'The request is not valid HTTP, or its headers are too long.'));
}

/** node:http passes a raw socket for CONNECT. */
export function refuseConnect(socket: Duplex): void {
  refuseOnSocket(socket, new Refusal('method_not_allowed', 'The operations are read-only: use GET.', { allow: 'GET' }));
}

function refuseOnSocket(socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusalAnswer(refusal, randomUUID());
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...commonHeaders(body.request_id as string),
    ...headers,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n'));
}
