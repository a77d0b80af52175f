import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { acceptableRequestId, REQUEST_ID_HEADER } from '#lib/api/error-code.ts';
import { RETURN_PATH_HEADER, returnPath } from '#lib/api/people/return-path.ts';
import type { AddressKindOf } from './built-addresses.ts';
import type { AnswerFile } from './built-files.ts';
import { addressBlock, clientAddress, trustOf } from './client-address.ts';
import { cutStalledReader, limitPeers, onceAnswered, onceBodyArrived } from './connection-limits.ts';
import { FairGate } from './fair-gate.ts';
import { type AnswerPoll, isPoll, sendPoll } from './live-poll.ts';
import { answerByNext, prepareForNext, wholePage } from './next-request.ts';
import { PageCache, type PageState } from './page-cache.ts';
import { type FrontRefusal, isLongBody, refusalOf, sendRefusal } from './refusal.ts';
import { securityHeaders } from './security-headers.ts';
import { SECURITY_TXT_PATH, securityTxt } from './security-txt.ts';
import type { FrontSettings, Visitor } from './started-runtime.ts';

export interface FrontLimits {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly stallMs: number;
  /** How long the rest of a refused body is read and dropped. */
  readonly lingerMs: number;
  readonly connections: number;
  readonly connectionsOfPeer: number;
  readonly strangersAtOnce: number;
  readonly strangersAtOnceOfAddress: number;
  readonly pagesAtOnce: number;
  /** An address or a session has at most so many waiting requests; more are refused. */
  readonly waitingOfSender: number;
}

interface Front {
  readonly settings: FrontSettings;
  readonly dev: boolean;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** It does not reject. Without it, Next answers polls. */
  readonly answerPoll?: AnswerPoll | undefined;
  readonly answerFile?: AnswerFile | undefined;
  /** The session of a visitor; `undefined` for a stranger. It runs for every request, so it has to be cheap. */
  readonly knownSession: (visitor: Visitor) => string | undefined;
  readonly signInState?: ((visitor: Visitor, query: URLSearchParams) => Promise<PageState | undefined>) | undefined;
  readonly kindOf?: AddressKindOf | undefined;
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
  strangersAtOnce: 8,
  strangersAtOnceOfAddress: 4,
  // A poll waits for one step of each rendering, and one thread renders no faster with more.
  pagesAtOnce: 2,
  // An address has that many only behind a trusted proxy.
  waitingOfSender: 512,
};
const TOO_MANY: FrontRefusal = {
  code: 'too_many_requests',
  message: 'Too many requests from this address wait for an answer; try again in a moment.',
  retryAfterS: 1,
};
const CHECKED_EVERY_MS = 1000;
/** The time is longer than proxies keep an idle connection (nginx: 60 s), so that the proxy closes it. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MAX_BYTES = 16_384;

/** An answer costs twice the processor time with 1, and no less without a bound. */
const STARTS_AT_ONCE = 16;

/** It is answered without Next: a busy process is alive. */
const HEALTH_PATH = '/healthz';
const SIGN_IN_PATH = '/sign-in';
const NOT_FOUND: PageState = { key: 'not found', target: '/_not-found' };

/**
 * The server in front of Next: limits, checks and names the sender of each request, and answers what needs no Next. A
 * request that it refuses never reaches Next.
 */
export function createFront(front: Front): Server {
  const limits = { ...LIMITS, ...front.limits };
  const { settings, dev } = front;
  const isTrusted = trustOf(settings.trustedProxies);
  const { waitingOfSender } = limits;
  const strangers = new FairGate({
    atOnce: limits.strangersAtOnce,
    atOnceOfSender: limits.strangersAtOnceOfAddress,
    waitingOfSender,
  });
  const pages = new FairGate({ atOnce: limits.pagesAtOnce, atOnceOfSender: limits.pagesAtOnce, waitingOfSender });
  // A turn of the event loop accepts one connection (libuv from 1.45): while it does, others may wait behind it.
  let [accepted, acceptedBefore] = [0, 0];
  const sessionStarts = new FairGate({
    atOnce: 1,
    atOnceOfSender: 1,
    waitingOfSender,
    startsNow: () => {
      const isAccepting = accepted > acceptedBefore;
      acceptedBefore = accepted;
      return isAccepting && accepted % STARTS_AT_ONCE > 0 ? 0 : STARTS_AT_ONCE;
    },
  });
  const pageCache = new PageCache();

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    // Pipelined requests would bypass the limits of connections.
    if (!response.socket) {
      request.socket.destroy();
      return;
    }
    const requestId = acceptableRequestId(request.headersDistinct[REQUEST_ID_HEADER]?.[0]) ?? randomUUID();
    request.headers[REQUEST_ID_HEADER] = requestId;
    response.setHeader(REQUEST_ID_HEADER, requestId);
    cutStalledReader(response, limits.stallMs);
    // The unread rest of a body would keep its connection from the next request. Node drops a body that no reader began.
    response.once('finish', () => request.resume());
    const nonce = randomBytes(16).toString('base64url');
    const headers = securityHeaders(settings, nonce, dev);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);

    const { method = '', url: target = '' } = request;
    const path = target.split('?', 1)[0] ?? '';
    const { cookie: cookies = '', host = '', authorization } = request.headers;
    const visitor: Visitor = { cookies, host, authorization };
    const session = front.knownSession(visitor);
    const address = clientAddress(
      request.socket.remoteAddress,
      request.headersDistinct['x-forwarded-for']?.join(','),
      isTrusted,
    );
    const sender = session ?? addressBlock(address);

    const refuse = (refusal: FrontRefusal) => {
      front.onRefused?.(refusal, requestId);
      sendRefusal(request, response, requestId, refusal, limits.lingerMs);
    };
    const pass = (gate: FairGate, start: () => void) => {
      if (response.destroyed) return;
      const leave = gate.enter(sender, start);
      if (leave) onceAnswered(response, leave);
      else refuse(TOO_MANY);
    };
    const startFairly = (start: () => void) => {
      const leave = sessionStarts.enter(sender, () => {
        leave?.();
        start();
      });
      if (leave) response.once('close', leave);
      else refuse(TOO_MANY);
    };
    const settle = (answered: Promise<void>) => {
      answered.catch((error: unknown) => {
        front.onError(error);
        response.destroy();
      });
    };
    const askNext = () => settle(answerByNext(front.answer, request, response));
    const cachePage = (state: PageState, isStill: () => Promise<boolean>) => {
      if (pageCache.send(state.key, response, nonce)) return;
      pass(pages, () => {
        if (pageCache.send(state.key, response, nonce)) return;
        wholePage(request);
        pageCache.keepNext(state, request, response, nonce, isStill);
        askNext();
      });
    };
    const signIn = async (stateOf: NonNullable<Front['signInState']>) => {
      const query = new URLSearchParams(target.slice(path.length));
      const state = await stateOf(visitor, query);
      // The visitor may have signed in during the rendering.
      request.headers[RETURN_PATH_HEADER] = returnPath(query.get('next'));
      if (state) cachePage(state, async () => (await stateOf(visitor, query))?.key === state.key);
      else pass(pages, askNext);
    };

    const refusal = refusalOf(
      { method, target, headers: request.headers, hosts: request.headersDistinct.host?.length ?? 0 },
      dev,
    );
    const answer = () => {
      if (refusal) return refuse(refusal);
      if (front.answerFile?.(request, response)) return;
      prepareForNext(request, address, headers['content-security-policy'] ?? '', dev);
      if (front.answerPoll && isPoll(request)) return settle(sendPoll(front.answerPoll, request, response));
      const kind = front.kindOf?.(path) ?? 'other';
      if (kind === 'none') cachePage(NOT_FOUND, async () => true);
      else if (path === SIGN_IN_PATH && front.signInState) settle(signIn(front.signInState));
      else if (kind === 'page') pass(pages, askNext);
      else askNext();
    };
    if (!refusal && path === HEALTH_PATH) sendText(response, 'ok\n');
    else if (!refusal && path === SECURITY_TXT_PATH && settings.securityContact !== undefined)
      sendText(response, securityTxt(settings.securityContact, settings.publicOrigin, Date.now()));
    else if (session !== undefined) startFairly(answer);
    else if (refusal || isLongBody(request.headers)) pass(strangers, answer);
    else onceBodyArrived(request, () => pass(strangers, answer));
  };

  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(CHECKED_EVERY_MS, limits.headersMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
      // Only the development server upgrades connections.
      shouldUpgradeCallback: () => dev,
    },
    serve,
  );
  server.maxConnections = limits.connections;
  server.on('connect', (_, socket) => {
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  server.on('connection', () => {
    accepted++;
  });
  limitPeers(server, limits.connectionsOfPeer, isTrusted);
  return server;
}

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, {
    'cache-control': 'no-store',
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
