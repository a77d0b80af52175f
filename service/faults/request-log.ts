import type { OperationId } from '#lib/contract/operation.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { DataRequest } from '../http/answer.ts';

export interface ReceivedRequest {
  readonly received_at: string;
  readonly operation: OperationId;
  readonly method: string;
  /** The encoded query. Unknown parameters become `…`, since one may be a misplaced key. */
  readonly query: string;
  readonly had_authorization: boolean;
}

export interface RequestLog {
  add(operation: OperationId, request: DataRequest, query: string, at: UpstreamInstant): void;
  all(): readonly ReceivedRequest[];
  clear(): void;
}

/** Oldest first. */
export function makeRequestLog(capacity = 10_000): RequestLog {
  let received: ReceivedRequest[] = [];
  return {
    add(operation, request, query, at) {
      received.push({
        received_at: formatInstant(at),
        operation,
        method: request.method,
        query: redact(query),
        had_authorization: request.authorization.length > 0,
      });
      if (received.length >= 2 * capacity) received = received.slice(-capacity);
    },
    all: () => received.slice(-capacity),
    clear() {
      received = [];
    },
  };
}

const contractParameter = /^(bbox|limit|cursor|start|end)=/;

function redact(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .map((pair) => (contractParameter.test(pair) ? pair : '…'))
    .join('&');
}
