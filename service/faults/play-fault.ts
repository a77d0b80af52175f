import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { AnsweringAt, DataRequest } from '../http/answer.ts';
import { sendAnswer } from '../http/send-answer.ts';
import { sendEdge, sendEdgeHtml, sendEdgeStatus } from './edge-answer.ts';
import type { Fault } from './fault.ts';
import { sendAndReset, sendCut, sendDripping, sendHuge, sendRows } from './send-badly.ts';
import { spoilAnswer } from './spoil-answer.ts';

const cursorPair = /([?&])cursor=[^&]*/;

function hasCursor(request: DataRequest): boolean {
  return cursorPair.test(request.target);
}

/** Removes made-up cursors, which the service would refuse. */
function spoilRequest(fault: Fault, request: DataRequest): DataRequest {
  if (fault.kind === 'endless_cursor' || fault.kind === 'repeat_cursor') {
    const target = request.target.replace(cursorPair, '$1').replace(/([?&])&|[?&]$/, '$1');
    return { ...request, target };
  }
  if (fault.kind === 'cursor_refused') {
    return { ...request, target: request.target.replace(cursorPair, '$1cursor=refused') };
  }
  return request;
}

export interface FaultyExchange {
  readonly request: DataRequest;
  readonly response: ServerResponse;
  readonly answeringAt: AnsweringAt;
  readonly prefix: string;
  readonly signal: AbortSignal;
}

export async function playFault(fault: Fault, exchange: FaultyExchange): Promise<void> {
  const { response } = exchange;
  const clientGone = new AbortController();
  response.once('close', () => clientGone.abort());
  const signal = AbortSignal.any([exchange.signal, clientGone.signal]);
  try {
    await play(fault, exchange, signal);
  } catch (failure) {
    if (!signal.aborted) throw failure;
    response.destroy();
  }
}

async function play(fault: Fault, exchange: FaultyExchange, signal: AbortSignal): Promise<void> {
  const { request, response, answeringAt, prefix } = exchange;
  const { requestId } = request;
  const spoiledAnswer = async () => {
    const answer = await answeringAt(fault.kind === 'clock_offset_ms' ? fault.offset_ms : 0)(
      spoilRequest(fault, request),
    );
    return spoilAnswer(fault, answer, { prefix, randomBytes });
  };
  switch (fault.kind) {
    case 'status': {
      const edge = { status: fault.status, retryAfter: fault.retry_after };
      return fault.as === 'html' ? sendEdgeHtml(response, edge) : sendEdgeStatus(response, requestId, edge);
    }
    case 'edge':
      return sendEdge(response, fault);
    case 'html':
      return sendEdgeHtml(response, { status: 200, retryAfter: null });
    case 'redirect':
      response.writeHead(302, { location: fault.location }).end();
      return;
    case 'huge':
      return sendHuge(response, requestId, fault.bytes, signal);
    case 'silent':
      await once(signal, 'abort');
      response.destroy();
      return;
    case 'fail_after_page':
      if (!hasCursor(request)) return sendAnswer(response, await spoiledAnswer());
      return sendEdgeStatus(response, requestId, { status: 503, retryAfter: fault.retry_after });
    case 'slow':
      await delay(fault.delay_ms, undefined, { signal });
      return sendAnswer(response, await spoiledAnswer());
    case 'drip':
      return sendDripping(response, await spoiledAnswer(), fault.interval_ms, signal);
    case 'cut_json':
      return sendCut(response, await spoiledAnswer());
    case 'rows':
      return sendRows(response, await spoiledAnswer(), fault, signal);
    case 'reset':
      return sendAndReset(response, await spoiledAnswer());
    case 'bad_record':
    case 'endless_cursor':
    case 'repeat_cursor':
    case 'cursor_refused':
    case 'allowance':
    case 'no_headers':
    case 'wrong_layer':
    case 'clock_offset_ms':
      return sendAnswer(response, await spoiledAnswer());
  }
}
