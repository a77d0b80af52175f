import type { DataRequest } from '../http/answer.ts';
import type { Fault } from './fault.ts';

const cursorPair = /([?&])cursor=[^&]*/;

export function hasCursor(request: DataRequest): boolean {
  return cursorPair.test(request.target);
}

/** What the service gets to see under a fault: made-up cursors are taken out, so that it does not refuse them itself. */
export function spoilRequest(fault: Fault, request: DataRequest): DataRequest {
  if (fault.kind === 'endless_cursor' || fault.kind === 'repeat_cursor') {
    const target = request.target.replace(cursorPair, '$1').replace(/([?&])&|[?&]$/, '$1');
    return { ...request, target };
  }
  if (fault.kind === 'cursor_refused') {
    return { ...request, target: request.target.replace(cursorPair, '$1cursor=refused') };
  }
  return request;
}
