import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';
import { REQUEST_ID_HEADER } from '#lib/api/request-id.ts';
import { isApiTarget } from './refusal.ts';

/** The name that lib/server/sign-in/peer-address.ts reads. */
const PEER_ADDRESS_HEADER = 'x-lookout-peer';
/** The state that the requesting page has rendered already. */
const ROUTER_STATE_HEADER = 'next-router-state-tree';
/** The only header of its kind that clients may send; Next takes orders from many of the others. */
const PASSED_X_HEADER = REQUEST_ID_HEADER;

/**
 * Removes the headers by which clients could control Next, and adds our own.
 * @param address the sender's
 * @param policy the content security policy of the answer: Next reads from it the nonce for its own scripts
 */
export function prepareForNext(request: IncomingMessage, address: string, policy: string, dev: boolean): void {
  const { headers } = request;
  for (const name of Object.keys(headers)) {
    if (isOrder(name, dev)) delete headers[name];
  }
  if (isApiTarget(request.url ?? '') || !hasRouterState(headers)) wholePage(request);
  headers[PEER_ADDRESS_HEADER] = address;
  headers['content-security-policy'] = policy;
}

/** Asks for the page as a document, not for a change of the page that is shown. */
export function wholePage({ headers }: IncomingMessage): void {
  delete headers[ROUTER_STATE_HEADER];
  delete headers.rsc;
}

/** Next answers an unreadable router state with 500 and a stack in the log. Such a request is treated as one for the whole page. */
function hasRouterState(headers: IncomingHttpHeaders): boolean {
  try {
    parseAndValidateFlightRouterState(headers[ROUTER_STATE_HEADER]);
    return true;
  } catch {
    return false;
  }
}

/** A header that controls Next, or states another sender. */
function isOrder(name: string, dev: boolean): boolean {
  if (name === PASSED_X_HEADER || (dev && name.startsWith('x-nextjs-'))) return false;
  return name.startsWith('x-') || name === 'forwarded' || name.startsWith('next-resume');
}
