// The way to Next and back: what it sees of a request, and how its answer is sent.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';
import { REQUEST_ID_HEADER } from '#lib/api/error-code.ts';
import { isApiTarget } from './refusal.ts';
import { SEEN_HEADER, seenForDoctor } from './seen-request.ts';

/** The header that lib/server/sign-in/peer-address.ts reads. */
const PEER_ADDRESS_HEADER = 'x-lookout-peer';
const ROUTER_STATE_HEADER = 'next-router-state-tree';
/** Clients may send no other `x-` header, since many control Next. */
const PASSED_X_HEADER = REQUEST_ID_HEADER;

/** @param policy Next reads the nonce from it */
export function prepareForNext(request: IncomingMessage, address: string, policy: string, dev: boolean): void {
  const { headers } = request;
  const seen = seenForDoctor(request, address);
  for (const name of Object.keys(headers)) {
    if (isOrder(name, dev)) delete headers[name];
  }
  if (isApiTarget(request.url ?? '') || !hasRouterState(headers)) wholePage(request);
  headers[PEER_ADDRESS_HEADER] = address;
  if (seen !== undefined) headers[SEEN_HEADER] = seen;
  headers['content-security-policy'] = policy;
}

export function wholePage({ headers }: IncomingMessage): void {
  delete headers[ROUTER_STATE_HEADER];
  delete headers.rsc;
}

/** Next would answer an unreadable state with 500. */
function hasRouterState(headers: IncomingHttpHeaders): boolean {
  try {
    parseAndValidateFlightRouterState(headers[ROUTER_STATE_HEADER]);
    return true;
  } catch {
    return false;
  }
}

function isOrder(name: string, dev: boolean): boolean {
  if (name === PASSED_X_HEADER || (dev && name.startsWith('x-nextjs-'))) return false;
  return name.startsWith('x-') || name === 'forwarded' || name.startsWith('next-resume');
}

type AnswerByNext = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function answerByNext(next: AnswerByNext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  endWhenLeft(response);
  sendHeadersWithBody(response);
  return next(request, response);
}

/** Next flushes headers early: a second write, and a seventh of the processor time of a short answer. */
function sendHeadersWithBody(response: ServerResponse): void {
  response.flushHeaders = () => {};
}

/**
 * Ends the answer when the connection closes: Next keeps a request's state until then, and Node reports no end if a
 * client leaves after the last write.
 */
export function endWhenLeft(response: ServerResponse): void {
  response.on('newListener', (event: string | symbol, listener: () => void) => {
    if (event !== 'finish') return;
    response.once('close', () => {
      if (!response.writableFinished) listener();
    });
  });
}
