import { type ServerResponse, STATUS_CODES } from 'node:http';
import { gzipSync } from 'node:zlib';
import { sendAnswer } from '../http/send-answer.ts';
import type { Fault } from './fault.ts';

export function sendEdgeStatus(
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

export function sendEdgeHtml(
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

export function sendEdge(
  response: ServerResponse,
  { status, headers, body, is_gzip }: Pick<Extract<Fault, { kind: 'edge' }>, 'status' | 'headers' | 'body' | 'is_gzip'>,
): void {
  response
    .writeHead(status, is_gzip ? { ...headers, 'content-encoding': 'gzip' } : headers)
    .end(is_gzip ? gzipSync(body) : body);
}
