// The sender of a request: the session in its cookie, its operator and role, and what the role may spend, see and change.
// Where sign-in is required, a request without a valid session is never one of an operator.
import 'server-only';
import { getIronSession, type IronSession, unsealData } from 'iron-session';
import { cookies, headers } from 'next/headers';
import { connection } from 'next/server';
import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { AccountNeed } from '#lib/api/people/account.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { roleMay, roleMayLoad } from '#lib/api/people/permission.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Actor } from '../audit/audit-row.ts';
import { isLost } from '../database/database-failure.ts';
import type { ViewerPage } from '../live/plan/demand.ts';
import { runtime } from '../runtime.ts';
import { browserName } from '../sign-in/browser-name.ts';
import { peerAddress } from '../sign-in/peer-address.ts';
import { isLoopbackHost } from '../sign-in/relying-party.ts';
import {
  labelOf,
  needsOf,
  operatorOfSession,
  SESSION_ABSOLUTE_MS,
  type Session,
  type SessionOperator,
  type SessionOrigin,
} from '../sign-in/session.ts';
import type { ZoneCaller } from '../zones/zone-rows.ts';
import { cookieName, sealedCookies, sealedCookiesOfRequest } from './sealed-cookies.ts';

interface Cookie {
  id?: string;
}

export interface Viewer {
  readonly operator: SessionOperator;
  readonly session: { readonly id: string; readonly key: string; readonly source: Session['source'] } | undefined;
  /** While the session cannot be checked, the viewer may only read. */
  readonly isUnconfirmed?: boolean;
  /** Required before more than one's own account is open. */
  readonly needs?: AccountNeed | undefined;
}

/** Without sign-in, only the embedded service on this machine is served. */
const LOCAL: Viewer = { operator: { id: 'local', name: 'local', role: 'admin' }, session: undefined };

export function operatorOf({ operator, session }: Viewer): string | undefined {
  return session && operator.id;
}

export function pageOf(viewer: Viewer, page: string): ViewerPage {
  return { operator: viewer.operator.id, session: viewer.session?.id, page };
}

type Sessions = NonNullable<ReturnType<typeof runtime>['sessions']>;

/** @param isKept whether the browser keeps it when it is closed */
async function sealedCookie(secret: string, isKept = false): Promise<IronSession<Cookie>> {
  const { tls } = runtime().config;
  const maxAge = isKept ? SESSION_ABSOLUTE_MS / SECOND_MS : undefined;
  return getIronSession<Cookie>(await cookies(), {
    password: secret,
    cookieName: cookieName(''),
    cookieOptions: { secure: tls, httpOnly: true, sameSite: 'lax', path: '/', maxAge },
  });
}

/** Also `undefined` while the database does not answer. Every page checks this itself. */
export async function currentViewer(): Promise<Viewer | undefined> {
  await connection();
  const requestHeaders = await headers();
  const viewer = await viewerIfKnown(requestHeaders.get('cookie') ?? '', requestHeaders.get('host') ?? '');
  return viewer === 'unknown' ? undefined : viewer;
}

/** `unknown` while the database does not answer and there may be a session. */
export async function viewerIfKnown(cookies: string, host: string): Promise<Viewer | 'unknown' | undefined> {
  try {
    return await viewerOf(cookies, host);
  } catch (error) {
    if (isLost(error)) return 'unknown';
    throw error;
  }
}

/**
 * `undefined` if sign-in is required. Every route handler checks this itself, except those that begin and end a
 * session.
 */
export async function viewerOf(cookies: string, host: string): Promise<Viewer | undefined> {
  const { sessions } = runtime();
  if (!sessions) return isLoopback(host) ? LOCAL : undefined;
  let found: Viewer | undefined;
  for (const sealed of sealedCookies(cookies, cookieName(''))) {
    const viewer = await viewerOfCookie(sealed, sessions);
    // A neighbour of this host can plant another operator's session: then neither counts.
    if (viewer && found && viewer.operator.id !== found.operator.id) return undefined;
    found ??= viewer;
  }
  return found;
}

/** A name for the session, if it was open at its last check. Decides only which requests wait. */
export function knownSession({
  cookies,
  host,
}: {
  readonly cookies: string;
  readonly host: string;
}): string | undefined {
  const { sessions } = runtime();
  if (!sessions) return isLoopback(host) ? LOCAL.operator.id : undefined;
  if (cookies === '') return undefined;
  for (const sealed of sealedCookies(cookies, cookieName(''))) {
    const id = sessions.openedCookies.get(sealed);
    if (id !== undefined) return id;
  }
  return undefined;
}

async function viewerOfCookie(sealed: string, sessions: Sessions): Promise<Viewer | undefined> {
  const id = await opened(sealed, sessions);
  if (id === undefined) return undefined;
  let session = await sessions.registry.find(id);
  let operator = session && operatorOfSession(session, sessions);
  if (session && !operator) {
    await sessions.registry.drop(session);
    // Another server may have bound it to a new password.
    session = await sessions.registry.find(id);
    operator = session && operatorOfSession(session, sessions);
  }
  if (!session || !operator) {
    sessions.openedCookies.delete(sealed);
    return undefined;
  }
  if (!sessions.openedCookies.has(sealed)) sessions.openedCookies.set(sealed, id);
  const needs = needsOf(session, sessions.operators, runtime().config.requirePasskeys);
  return {
    operator,
    session: { id, key: session.key, source: session.source },
    isUnconfirmed: !session.isConfirmed,
    needs,
  };
}

/** Does not count as a request. A session that cannot be checked has ended. */
export async function isStillSignedIn({ operator, session }: Viewer): Promise<boolean> {
  const { sessions, log } = runtime();
  if (!sessions || !session) return true;
  try {
    const open = await sessions.registry.peek(session.id);
    return open !== undefined && operatorOfSession(open, sessions)?.role === operator.role;
  } catch (error) {
    log.error({ err: error }, 'whether a session goes on cannot be read');
    return false;
  }
}

/** Ends all older sessions of this browser. */
export async function beginSession(sessionId: string, isKept: boolean): Promise<void> {
  const { sessions } = runtime();
  if (!sessions) return;
  await closeSessionsOfBrowser(sessions, sessionId);
  const cookie = await sealedCookie(sessions.secret, isKept);
  cookie.id = sessionId;
  await cookie.save();
}

export async function endSession(): Promise<void> {
  const { sessions } = runtime();
  if (!sessions) return;
  await closeSessionsOfBrowser(sessions);
  (await sealedCookie(sessions.secret)).destroy();
}

/** @param next the session that takes their place */
async function closeSessionsOfBrowser(sessions: Sessions, next?: string): Promise<void> {
  for (const sealed of await sealedCookiesOfRequest(cookieName(''))) {
    const id = await opened(sealed, sessions);
    sessions.openedCookies.delete(sealed);
    if (id !== undefined) await sessions.registry.close(id, next);
  }
}

/** Without sign-in, another name that resolves here is a foreign site (DNS rebinding). */
function isLoopback(host: string): boolean {
  return isLoopbackHost(host.replace(/:\d+$/, ''));
}

async function opened(sealed: string, { openedCookies, secret }: Sessions): Promise<string | undefined> {
  const known = openedCookies.get(sealed);
  if (known !== undefined) return known;
  return (await unsealData<Cookie>(sealed, { password: secret })).id;
}

/** Of a viewer, for what only some see or change of zones and alarms. */
export function zoneCaller({
  operator,
  session,
}: Pick<Viewer, 'operator'> & { readonly session: object | undefined }): ZoneCaller {
  const name = session ? operator.name : '';
  return {
    owner: session && operator.id,
    name,
    actor: name,
    isAdmin: roleMay(operator.role, 'administer'),
  };
}

/** A viewer gets only what is cached, where a load would use up an allowance. */
export function queryWithinRole(query: HistoryQuery, viewer: Viewer): HistoryQuery {
  return mayLoad(viewer) ? query : { ...query, maxRequests: 0 };
}

export function costWithinRole(cost: HistoryCost, viewer: Viewer): HistoryCost {
  if (mayLoad(viewer)) return cost;
  const { middle, tiles } = cost;
  return { ...cost, middle: { ...middle, max_requests: 0 }, tiles: tiles && { ...tiles, max_requests: 0 } };
}

function mayLoad({ operator }: Viewer): boolean {
  return roleMayLoad(operator.role, runtime().config.upstream.hasAllowance);
}

/** The person and address that the audit records. @param call with its viewer, if one is signed in */
export function actorOf(call: {
  readonly request: Request;
  readonly requestId: string;
  readonly viewer?: Pick<Viewer, 'operator'>;
}): Actor {
  return { operator: call.viewer?.operator ?? null, address: peerAddress(call.request), requestId: call.requestId };
}

/** The origin of a session that begins with this request. */
export function originOf(request: Request, isKept: boolean): SessionOrigin {
  return { browser: browserName(request.headers.get('user-agent')), address: peerAddress(request), isKept };
}

type HowEnded = Extract<AuditEvent, { kind: 'session_ended' }>['how'];

export function recordEnded(audit: AuditLog, actor: Actor, sessions: readonly Session[], how: HowEnded): void {
  for (const { key, operatorId } of sessions)
    audit.record(actor, { kind: 'session_ended', person: operatorId, session: labelOf(key), how });
}
