import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { UPSTREAM_REQUEST_ID_HEADER } from '#lib/contract/operation.ts';
import type { Answer } from './answer.ts';

/** No intermediate cache may store positions. */
export function commonHeaders(requestId: string): OutgoingHttpHeaders {
  return {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    [UPSTREAM_REQUEST_ID_HEADER]: requestId,
  };
}

export function sendAnswer(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(JSON.stringify(answer.body));
  response
    .writeHead(answer.status, {
      ...commonHeaders(answer.body.request_id),
      ...answer.headers,
      'content-length': body.length,
    })
    .end(body);
}
