import type { OutgoingHttpHeaders } from 'node:http';
import type { Envelope } from '#lib/contract/envelope.ts';
import type { ErrorBody } from '#lib/contract/error-body.ts';
import type { Refusal } from './refusal.ts';

/** An HTTP answer before it is serialised. */
export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Envelope | ErrorBody;
}

/** A request as the operations see it. */
export interface DataRequest {
  readonly requestId: string;
  readonly method: string;
  /** The request target as received, still encoded. */
  readonly target: string;
  /** Every Authorization header of the request. */
  readonly authorization: readonly string[];
  /** The caller's address, as far as it is known. */
  readonly address: string;
}

export type AnswerRequest = (request: DataRequest) => Promise<Answer>;

/** Returns the request handler for a service clock that is wrong by `clockOffsetMs`; 0 is the correct time. */
export type AnsweringAt = (clockOffsetMs: number) => AnswerRequest;

export function refusalAnswer(refusal: Refusal, requestId: string): Answer {
  return {
    status: refusal.status,
    headers: refusal.headers,
    body: { error: { code: refusal.code, message: refusal.message }, request_id: requestId },
  };
}
