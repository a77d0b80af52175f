import type { IncomingMessage, ServerResponse } from 'node:http';
import { API_ERRORS, type ErrorAnswer } from '#lib/api/error-code.ts';
import type { FrontRefusal } from './refusal.ts';

/**
 * Closes the connection if the request has a body, whose length is unbounded.
 * @param lingerMs how long the body is read and dropped
 */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  { code, message, allow, retryAfterS }: FrontRefusal,
  lingerMs: number,
): void {
  const answer: ErrorAnswer = { error: { code, message }, request_id: requestId };
  const text = JSON.stringify(answer);
  const hasBody = request.headers['transfer-encoding'] !== undefined || request.headers['content-length'] !== undefined;
  if (hasBody) response.setHeader('connection', 'close');
  if (allow) response.setHeader('allow', allow.join(', '));
  if (retryAfterS !== undefined) response.setHeader('retry-after', retryAfterS);
  response.writeHead(API_ERRORS[code], {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(text),
  });
  if (!hasBody) {
    response.end(text);
    return;
  }
  response.write(text);
  endAfterBody(request, response, lingerMs);
}

/** A client loses the answer if its connection closes while it sends (RFC 9112, 9.6). */
function endAfterBody(request: IncomingMessage, response: ServerResponse, withinMs: number): void {
  const end = () => response.end();
  const timer = setTimeout(end, withinMs);
  request.once('close', () => {
    clearTimeout(timer);
    end();
  });
  request.resume();
}
