import { randomBytes, randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';
import { API_ERRORS, type ErrorAnswer } from '#lib/api/error-code.ts';
import { acceptableRequestId, REQUEST_ID_HEADER } from '#lib/api/request-id.ts';
import type { AnswerFile } from './built-files.ts';
import { clientAddress, trustOf } from './client-address.ts';
import type { FrontSettings } from './front-settings.ts';
import { endWhenLeft } from './left-answer.ts';
import { type AnswerPoll, isPoll, sendPoll } from './live-poll.ts';
import { type FrontRefusal, isApiTarget, refusalOf } from './refusal.ts';
import { securityHeaders } from './security-headers.ts';
import { cutStalledReader } from './stalled-reader.ts';

export interface FrontLimits {
  /** All headers have to be there after this long. */
  readonly headersMs: number;
  /** The whole request, with its body, after this long. */
  readonly requestMs: number;
  /** A client that takes nothing of an answer for so long is cut. */
  readonly stallMs: number;
  /** The rest of a refused body is dropped for so long, then the connection closes. */
  readonly lingerMs: number;
  readonly connections: number;
  readonly connectionsOfPeer: number;
}

interface Front {
  readonly settings: FrontSettings;
  readonly dev: boolean;
  /** Answers what may pass: Next. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Answers polls of the live picture without Next, and does not reject; `undefined` where Next answers them too. */
  readonly answerPoll?: AnswerPoll | undefined;
  /** Answers requests for files of the build; Next answers the rest of them. */
  readonly answerFile?: AnswerFile | undefined;
  readonly onError: (error: unknown) => void;
  readonly onRefused?: (refusal: FrontRefusal, requestId: string) => void;
  readonly limits?: Partial<FrontLimits>;
}

const LIMITS: FrontLimits = {
  headersMs: 10_000,
  requestMs: 20_000,
  stallMs: 30_000,
  lingerMs: 2000,
  connections: 2000,
  connectionsOfPeer: 512,
};
/** How often connections are checked for those two limits. */
const CHECKED_EVERY_MS = 1000;
/** Longer than proxies keep an idle connection (nginx: 60 s), so that it is they who close it. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MAX_BYTES = 16_384;

/** The name that lib/server/session/peer-address.ts reads. */
const PEER_ADDRESS_HEADER = 'x-lookout-peer';
/** What the page that asks has rendered already. */
const ROUTER_STATE_HEADER = 'next-router-state-tree';
/** The only header of its kind that clients may send; Next takes orders from many of the others. */
const PASSED_X_HEADER = REQUEST_ID_HEADER;

/**
 * The server in front of Next: it decides what reaches it, tells it who sent a request, and puts the security headers on every
 * answer, its own and Next's.
 */
export function createFront(front: Front): Server {
  const limits = { ...LIMITS, ...front.limits };
  const { settings, dev } = front;
  const isTrusted = trustOf(settings.trustedProxies);

  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(CHECKED_EVERY_MS, limits.headersMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
      // Only the development server has a protocol to change to; elsewhere the request is answered like any other.
      shouldUpgradeCallback: () => dev,
    },
    (request, response) => {
      const requestId = acceptableRequestId(request.headersDistinct[REQUEST_ID_HEADER]?.[0]) ?? randomUUID();
      request.headers[REQUEST_ID_HEADER] = requestId;
      response.setHeader(REQUEST_ID_HEADER, requestId);
      cutStalledReader(response, limits.stallMs);
      const nonce = randomBytes(16).toString('base64');
      const headers = securityHeaders(settings, nonce, dev);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      const refusal = refusalOf(
        {
          method: request.method ?? '',
          target: request.url ?? '',
          headers: request.headers,
          hosts: request.headersDistinct.host?.length ?? 0,
        },
        dev,
      );
      if (refusal) {
        front.onRefused?.(refusal, requestId);
        return refuse(request, response, requestId, refusal, limits.lingerMs);
      }
      if (front.answerFile?.(request, response)) return;
      const address = clientAddress(
        request.socket.remoteAddress,
        request.headersDistinct['x-forwarded-for']?.join(','),
        isTrusted,
      );
      for (const name of Object.keys(request.headers)) {
        if (isOrder(name, dev)) delete request.headers[name];
      }
      if (isApiTarget(request.url ?? '') || !hasRouterState(request.headers)) {
        delete request.headers[ROUTER_STATE_HEADER];
        delete request.headers.rsc;
      }
      request.headers[PEER_ADDRESS_HEADER] = address;
      // Next reads the nonce for its own scripts from the policy in the request.
      request.headers['content-security-policy'] = headers['content-security-policy'];
      const answered =
        front.answerPoll && isPoll(request)
          ? sendPoll(front.answerPoll, request, response)
          : answerByNext(front.answer, request, response);
      answered.catch((error: unknown) => {
        front.onError(error);
        response.destroy();
      });
    },
  );
  server.maxConnections = limits.connections;
  server.on('connect', (_, socket) => {
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  limitPeers(server, limits.connectionsOfPeer, isTrusted);
  return server;
}

function answerByNext(next: Front['answer'], request: IncomingMessage, response: ServerResponse): Promise<void> {
  endWhenLeft(response);
  sendHeadersWithBody(response);
  return next(request, response);
}

/**
 * Next flushes the headers just before the first piece of an answer, which makes two writes to the socket of what would be one: a seventh of the
 * processor time of a short answer.
 */
function sendHeadersWithBody(response: ServerResponse): void {
  response.flushHeaders = () => {};
}

/** What Next cannot read there it answers with 500 and a stack in the log: such a request is one for the whole page. */
function hasRouterState(headers: IncomingHttpHeaders): boolean {
  try {
    parseAndValidateFlightRouterState(headers[ROUTER_STATE_HEADER]);
    return true;
  } catch {
    return false;
  }
}

/** A header by which clients could give Next orders, or claim to be somebody else. */
function isOrder(name: string, dev: boolean): boolean {
  if (name === PASSED_X_HEADER || (dev && name.startsWith('x-nextjs-'))) return false;
  return name.startsWith('x-') || name === 'forwarded' || name.startsWith('next-resume');
}

/** No single address may use up all connections; proxies carry those of others. */
function limitPeers(server: Server, max: number, isTrusted: (address: string) => boolean): void {
  const connections = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    const count = (connections.get(peer) ?? 0) + 1;
    if (count > max && !isTrusted(peer)) {
      socket.destroy();
      return;
    }
    connections.set(peer, count);
    socket.once('close', () => {
      const left = (connections.get(peer) ?? 1) - 1;
      if (left === 0) connections.delete(peer);
      else connections.set(peer, left);
    });
  });
}

/** Answers at once, and closes where there is a body: it may be longer than anybody wants to wait for. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  { code, message, allow }: FrontRefusal,
  lingerMs: number,
): void {
  const answer: ErrorAnswer = { error: { code, message }, request_id: requestId };
  const text = JSON.stringify(answer);
  const hasBody = request.headers['transfer-encoding'] !== undefined || request.headers['content-length'] !== undefined;
  if (hasBody) response.setHeader('connection', 'close');
  if (allow) response.setHeader('allow', allow.join(', '));
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

/** A client that is still sending when its connection is closed loses the answer (RFC 9112, 9.6): the body is read, and dropped. */
function endAfterBody(request: IncomingMessage, response: ServerResponse, withinMs: number): void {
  const end = () => response.end();
  const timer = setTimeout(end, withinMs);
  request.once('close', () => {
    clearTimeout(timer);
    end();
  });
  request.resume();
}
