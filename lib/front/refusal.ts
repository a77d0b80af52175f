// Refuses malformed and foreign requests before Next sees them.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { API_ERRORS, type ApiErrorCode, BODY_MAX_BYTES, type ErrorAnswer } from '#lib/api/error-code.ts';

interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly hosts: number;
}

export interface FrontRefusal {
  readonly code: Extract<
    ApiErrorCode,
    'bad_query' | 'bad_request' | 'cross_site' | 'method_not_allowed' | 'too_large' | 'too_many_requests' | 'not_found'
  >;
  readonly message: string;
  readonly allow?: readonly string[];
  readonly retryAfterS?: number;
}

const PAGE_METHODS = ['GET', 'HEAD'];
const API_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The limit holds 1000 zones of 500 corners. The route reads them line by line. */
const LONG_BODY = { path: '/api/zones/import', maxBytes: 32 * 1024 * 1024 } as const;

/** Whether the body is longer than what a request buffers. */
export function isLongBody(headers: IncomingHttpHeaders): boolean {
  return Number(headers['content-length'] ?? 0) > BODY_MAX_BYTES;
}

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
/** Visible ASCII without backslashes, which browsers turn into slashes. */
const TARGET = /^\/(?!\/)[!"$-~]*$/;
const DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** In any case: a mistyped token gives away the right one. */
const TOKEN = /lookout_[\w-]{20}/i;

export function isApiTarget(target: string): boolean {
  return /^\/api(?:[/?]|$)/.test(target);
}

/** Other values name another site or are invalid. Programs and browsers without TLS send none. */
const OWN_SITES: ReadonlySet<string | string[] | undefined> = new Set(['same-origin', 'none', undefined]);

/** @returns `undefined` for a request that may pass */
export function refusalOf({ method, target, headers, hosts }: RequestHead, dev: boolean): FrontRefusal | undefined {
  const path = target.split('?', 1)[0] ?? '';
  const isApi = isApiTarget(target);
  const allow = isApi ? API_METHODS : PAGE_METHODS;
  if (!allow.includes(method)) {
    return { code: 'method_not_allowed', message: `${method} is not supported here.`, allow };
  }
  if (!TARGET.test(target)) return bad('The address must be a path of this server, with other characters escaped.');
  if (path.includes('\\') || DOTS.test(path) || !isDecodable(path)) return bad('The path is not a plain one.');
  if (hosts !== 1 || !HOST.test(headers.host ?? '')) return bad('One Host header is needed, with a name or address.');
  if (path.startsWith('/_next/') && !path.startsWith('/_next/static/') && !dev)
    return { code: 'not_found', message: 'There is nothing at this address.' };
  if (isApi && !OWN_SITES.has(headers['sec-fetch-site']))
    return { code: 'cross_site', message: 'This request does not come from a page of this site.' };
  const query = new URLSearchParams(target.slice(path.length));
  // Next drops this name on the way to the handlers.
  if (isApi && query.has('__proto__')) return { code: 'bad_query', message: '"__proto__" is unknown.' };
  if (TOKEN.test([...query].flat().join(' ')))
    return {
      code: 'bad_query',
      message: 'A token is sent as Authorization: Bearer TOKEN, never in an address, which logs keep: revoke this one.',
    };
  return bodyRefusal(method, headers, isApi, path === LONG_BODY.path ? LONG_BODY.maxBytes : BODY_MAX_BYTES);
}

function bodyRefusal(
  method: string,
  headers: IncomingHttpHeaders,
  isApi: boolean,
  maxBytes: number,
): FrontRefusal | undefined {
  const length = Number(headers['content-length'] ?? 0);
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (length === 0 && !isChunked) return undefined;
  if (!isApi || PAGE_METHODS.includes(method)) return { code: 'too_large', message: 'No body is read here.' };
  if (isChunked) return bad('A body must state its length: send Content-Length.');
  return length > maxBytes
    ? { code: 'too_large', message: `The body is too large: at most ${maxBytes} bytes.` }
    : undefined;
}

function bad(message: string): FrontRefusal {
  return { code: 'bad_request', message };
}

function isDecodable(path: string): boolean {
  try {
    return !decodeURIComponent(path).includes('\u0000');
  } catch {
    return false;
  }
}

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
