import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Envelope } from '#lib/contract/envelope.ts';
import { DAY_REMAINING_HEADER, MINUTE_REMAINING_HEADER } from '#lib/contract/operation.ts';
import { type AnsweringAt, commonHeaders, type DataRequest, type PositionsAnswer, sendAnswer } from '../http/answer.ts';
import { layerLetter } from '../references/public-reference.ts';
import type { Fault, TakenFault } from './fault.ts';

interface FaultyExchange {
  readonly request: DataRequest;
  readonly response: ServerResponse;
  readonly answeringAt: AnsweringAt;
  readonly prefix: string;
  readonly signal: AbortSignal;
}

/**
 * Answers a request as the fault says: the service's own answer spoilt or sent badly, or an answer of an edge in its
 * place. Resolves when the answer is sent. A closing service or a lost client ends it at once.
 */
export async function playFault({ fault, over }: TakenFault, exchange: FaultyExchange): Promise<void> {
  const { response } = exchange;
  const clientGone = new AbortController();
  response.once('close', () => clientGone.abort());
  const signal = AbortSignal.any([exchange.signal, clientGone.signal]);
  try {
    if (fault.kind === 'hold' && !over.aborted) await once(over, 'abort', { signal });
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
    return spoilAnswer(fault, answer, prefix);
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
      if (!cursorPair.test(request.target)) return sendAnswer(response, await spoiledAnswer());
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
    case 'hold':
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

const cursorPair = /([?&])cursor=[^&]*/;

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

function spoilAnswer(fault: Fault, answer: PositionsAnswer, prefix: string): PositionsAnswer {
  if (!isEnvelope(answer.body)) return answer;
  const envelope = answer.body;
  const withBody = (change: Partial<Envelope>): PositionsAnswer => ({ ...answer, body: { ...envelope, ...change } });
  switch (fault.kind) {
    case 'bad_record': {
      const count = fault.count ?? envelope.data.length;
      const spoilt = (record: unknown, index: number) =>
        index < count ? { ...(record as object), latitude: 'north' } : record;
      return withBody({ data: envelope.data.map(spoilt) });
    }
    case 'endless_cursor':
    case 'repeat_cursor': {
      if (envelope.mode !== 'live') return answer;
      const handle = fault.kind === 'repeat_cursor' ? '0123456789ABCDEF' : randomBytes(8).toString('hex').toUpperCase();
      return withBody({ next_cursor: `${prefix}-${layerLetter(envelope.layer)}-${handle}` });
    }
    case 'wrong_layer':
      return withBody({ layer: envelope.layer === 'rid' ? 'adsb' : 'rid' });
    case 'allowance': {
      const { per_minute, per_day } = fault;
      const headers = {
        ...answer.headers,
        ...(per_minute === null ? {} : { [MINUTE_REMAINING_HEADER]: per_minute }),
        ...(per_day === null ? {} : { [DAY_REMAINING_HEADER]: per_day }),
      };
      return { ...answer, headers };
    }
    case 'no_headers': {
      const { [MINUTE_REMAINING_HEADER]: _minute, [DAY_REMAINING_HEADER]: _day, ...headers } = answer.headers;
      return { ...answer, headers };
    }
    default:
      return answer;
  }
}

function isEnvelope(body: PositionsAnswer['body']): body is Envelope {
  return 'data' in body;
}

function sendEdgeStatus(
  response: ServerResponse,
  requestId: string,
  { status, retryAfter }: { readonly status: number; readonly retryAfter: string | null },
): void {
  sendAnswer(response, {
    status,
    headers: {
      ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
    body: { error: { code: 'fault', message: `A fault switch set status ${status}.` }, request_id: requestId },
  });
}

function sendEdgeHtml(
  response: ServerResponse,
  { status, retryAfter }: { readonly status: number; readonly retryAfter: string | null },
): void {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
    })
    .end(`<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`);
}

function sendEdge(
  response: ServerResponse,
  { status, headers, body, is_gzip }: Pick<Extract<Fault, { kind: 'edge' }>, 'status' | 'headers' | 'body' | 'is_gzip'>,
): void {
  response
    .writeHead(status, is_gzip ? { ...headers, 'content-encoding': 'gzip' } : headers)
    .end(is_gzip ? gzipSync(body) : body);
}

function sendCut(response: ServerResponse, answer: PositionsAnswer): void {
  const half = firstHalf(bodyOf(answer));
  writeHead(response, answer, half.length);
  response.end(half);
}

function sendAndReset(response: ServerResponse, answer: PositionsAnswer): void {
  const body = bodyOf(answer);
  writeHead(response, answer, body.length);
  response.write(firstHalf(body), () => response.socket?.resetAndDestroy());
}

async function sendDripping(
  response: ServerResponse,
  answer: PositionsAnswer,
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> {
  writeHead(response, answer, undefined);
  for (const byte of bodyOf(answer)) {
    response.write(Uint8Array.of(byte));
    await delay(intervalMs, undefined, { signal });
  }
  response.end();
}

/** It sends as fast as the client reads. */
async function sendHuge(
  response: ServerResponse,
  requestId: string,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  const opening = '{"padding":"';
  const closing = '"}';
  response.writeHead(200, commonHeaders(requestId));
  response.write(opening);
  const chunk = Buffer.alloc(65_536, 'x');
  for (let left = bytes - opening.length - closing.length; left > 0; left -= chunk.length) {
    if (!response.write(left < chunk.length ? chunk.subarray(0, left) : chunk))
      await once(response, 'drain', { signal });
  }
  response.end(closing);
}

/** It sends as fast as the client reads. */
async function sendRows(
  response: ServerResponse,
  answer: PositionsAnswer,
  { count, row }: { readonly count: number; readonly row: string },
  signal: AbortSignal,
): Promise<void> {
  writeHead(response, answer, undefined);
  const [opening = '', closing = ''] = JSON.stringify({ ...answer.body, data: [] }).split(/(?<="data":\[)/);
  response.write(opening);
  const rowsAtOnce = Math.ceil(65_536 / row.length);
  for (let left = count; left > 0; left -= rowsAtOnce) {
    const rows = Array.from({ length: Math.min(left, rowsAtOnce) }, () => row).join(',');
    if (!response.write(left > rowsAtOnce ? `${rows},` : rows)) await once(response, 'drain', { signal });
  }
  response.end(closing);
}

function writeHead(response: ServerResponse, answer: PositionsAnswer, contentLength: number | undefined): void {
  response.writeHead(answer.status, {
    ...commonHeaders(answer.body.request_id),
    ...answer.headers,
    ...(contentLength === undefined ? {} : { 'content-length': contentLength }),
  });
}

function bodyOf(answer: PositionsAnswer): Buffer {
  return Buffer.from(JSON.stringify(answer.body));
}

function firstHalf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}
