import type { OutgoingHttpHeaders } from 'node:http';
import type { Envelope } from '#lib/contract/envelope.ts';
import type { ErrorBody } from '#lib/contract/error-body.ts';
import type { Refusal } from './refusal.ts';

export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Envelope | ErrorBody;
}

export interface DataRequest {
  readonly requestId: string;
  readonly method: string;
  /** As received, still encoded. */
  readonly target: string;
  readonly authorization: readonly string[];
  /** As far as it is known. */
  readonly address: string;
}

export type AnswerRequest = (request: DataRequest) => Promise<Answer>;

export type AnsweringAt = (clockOffsetMs: number) => AnswerRequest;

export function refusalAnswer(refusal: Refusal, requestId: string): Answer {
  return {
    status: refusal.status,
    headers: refusal.headers,
    body: { error: { code: refusal.code, message: refusal.message }, request_id: requestId },
  };
}
