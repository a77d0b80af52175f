// The sender of a request: the session in its cookie, its operator and role, and what the role may spend, see and change.
// Where sign-in is required, a request without a valid session is never one of an operator. A program with a token and a
// wall are viewers of their own, without a person.
import 'server-only';
import { getIronSession, type IronSession, unsealData } from 'iron-session';
import { cookies, headers } from 'next/headers';
import { connection } from 'next/server';
import { ApiError } from '#lib/api/error-code.ts';
import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { AccountNeed } from '#lib/api/people/account.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { PERMISSIONS, type Permission, roleMay, roleMayLoad, wallMay } from '#lib/api/people/permission.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Actor } from '../audit/audit-row.ts';
import { isLost } from '../database/database-failure.ts';
import type { ViewerPage } from '../live/plan/demand.ts';
import type { TokenGrant } from '../read-access/read-tokens.ts';
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
import {
  cookieName,
  dropWallCookie,
  openedWall,
  sealedCookies,
  sealedCookiesOfRequest,
  writeWallCookie,
} from './sealed-cookies.ts';

interface Cookie {
  id?: string;
}

export interface Viewer {
  readonly operator: SessionOperator;
  readonly session:
    | { readonly id: string; readonly key: string; readonly source: Session['source'] | 'token' }
    | undefined;
  /** A program's or a wall's; `undefined`: a person. */
  readonly token?: TokenGrant;
  /** Of a wall: the query of the view, which it shows alone. */
  readonly wall?: { readonly query: string };
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
  authorization,
}: {
  readonly cookies: string;
  readonly host: string;
  readonly authorization: string | undefined;
}): string | undefined {
  const { sessions, readTokens } = runtime();
  const secret = bearerToken(authorization);
  if (secret !== undefined) return readTokens.knownAs(secret);
  if (!sessions) return isLoopback(host) ? LOCAL.operator.id : undefined;
  if (cookies === '') return undefined;
  for (const sealed of sealedCookies(cookies, cookieName('-wall'))) {
    const known = readTokens.knownAs(sessions.openedCookies.get(sealed) ?? '');
    if (known !== undefined) return known;
  }
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

/** The token of a program in `Authorization`. Other bearers are those of proxies. */
export function bearerToken(authorization: string | null | undefined): string | undefined {
  return /^Bearer +(lookout_\S+) *$/i.exec(authorization ?? '')?.[1];
}

/** The sender of a request to a route: a program by its token, otherwise a person. @throws ApiError for a closed token */
export async function callerOf({ headers }: Request): Promise<Viewer | undefined> {
  const secret = bearerToken(headers.get('authorization'));
  if (secret !== undefined) return viewerOfToken(await runtime().readTokens.open(secret));
  const cookies = headers.get('cookie') ?? '';
  return (await viewerOf(cookies, headers.get('host') ?? '')) ?? wallOf(cookies);
}

/** The wall of a browser, which reads the area of its view alone. */
async function wallOf(cookies: string): Promise<Viewer | undefined> {
  const { sessions, readTokens, views } = runtime();
  if (!sessions) return undefined;
  for (const sealed of sealedCookies(cookies, cookieName('-wall'))) {
    const secret = sessions.openedCookies.get(sealed) ?? (await openedWall(sealed, sessions.secret));
    const token = secret === undefined ? undefined : await readTokens.wall(secret);
    const wall = token?.view ? await views.ofWall(token.view) : undefined;
    if (secret === undefined || !token || !wall) continue;
    sessions.openedCookies.set(sealed, secret);
    return { ...viewerOfToken({ ...token, area: wall.area }), wall };
  }
  return undefined;
}

/** As `currentViewer`: the page of the wall checks this itself. */
export async function currentWall(): Promise<Viewer | undefined> {
  await connection();
  return wallOf((await headers()).get('cookie') ?? '');
}

/** Named after the token: a later one of the same name owns what it wrote. No operator's id has a colon but `oidc:`. */
function viewerOfToken(token: TokenGrant): Viewer {
  return {
    operator: { id: `token:${token.name}`, name: `${token.name} (token)`, role: 'viewer' },
    session: { id: `token:${token.id}`, key: '', source: 'token' },
    token,
  };
}

/** @throws ApiError without the permission */
export function requirePermission({ operator, token, wall }: Viewer, permission: Permission): void {
  if (
    wall
      ? wallMay(permission)
      : token
        ? token.scopes.some((its) => its === permission)
        : roleMay(operator.role, permission)
  )
    return;
  throw new ApiError(
    'not_permitted',
    token
      ? `This token lacks the permission ${permission}.`
      : `This takes the role ${PERMISSIONS[permission].role}; yours is ${operator.role}.`,
  );
}

/** Does not count as a request. A session that cannot be checked has ended. */
export async function isStillSignedIn({ operator, session, token }: Viewer): Promise<boolean> {
  const { sessions, readTokens, log } = runtime();
  try {
    if (token) return await readTokens.isOpen(token.id);
    if (!sessions || !session) return true;
    const open = await sessions.registry.peek(session.id);
    return open !== undefined && operatorOfSession(open, sessions)?.role === operator.role;
  } catch (error) {
    log.error({ err: error }, 'whether a session goes on cannot be read');
    return false;
  }
}

/** Ends all older sessions of this browser, and its wall. */
export async function beginSession(sessionId: string, isKept: boolean): Promise<void> {
  const { sessions } = runtime();
  if (!sessions) return;
  await closeSessionsOfBrowser(sessions, sessionId);
  await dropWallCookie();
  const cookie = await sealedCookie(sessions.secret, isKept);
  cookie.id = sessionId;
  await cookie.save();
}

export async function endSession(): Promise<void> {
  const { sessions } = runtime();
  if (!sessions) return;
  await closeSessionsOfBrowser(sessions);
  (await sealedCookie(sessions.secret)).destroy();
  await dropWallCookie();
}

/**
 * Makes this browser a wall.
 * @throws ApiError where a person is signed in, whose session would stay on the wall, and as `ReadTokens.openWall`
 */
export async function beginWall({ headers: sent }: Request, secret: string): Promise<TokenGrant> {
  const { sessions, readTokens } = runtime();
  if (!sessions) throw new ApiError('not_found', 'No sign-in is needed here: open /?wall.');
  if (await viewerOf(sent.get('cookie') ?? '', sent.get('host') ?? ''))
    throw new ApiError('not_possible', 'You are signed in here: sign out first, or open the address on the wall.');
  const { token, own } = await readTokens.openWall(secret);
  await writeWallCookie(own, sessions.secret, token.ends_at);
  return token;
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
  token,
}: Pick<Viewer, 'operator' | 'token'> & { readonly session: object | undefined }): ZoneCaller {
  const name = session ? operator.name : '';
  return {
    owner: session && operator.id,
    name,
    actor: name,
    isAdmin: roleMay(operator.role, 'administer'),
    isProgram: token !== undefined,
    area: token?.area,
  };
}

/** A viewer gets only what is cached, where a load would use up an allowance. */
export function queryWithinRole(query: HistoryQuery, viewer: Viewer): HistoryQuery {
  return mayLoad(viewer) ? query : { ...query, maxRequests: 0 };
}

/** @param tokenLeft requests that a token may still make today */
export function costWithinRole(cost: HistoryCost, viewer: Viewer, tokenLeft?: number): HistoryCost {
  if (tokenLeft === undefined && mayLoad(viewer)) return cost;
  const { middle, tiles, left } = cost;
  const most = Math.min(tokenLeft ?? 0, left ?? Number.POSITIVE_INFINITY);
  const within = (price: typeof middle) => ({ ...price, max_requests: Math.min(price.max_requests, most) });
  return {
    ...cost,
    middle: within(middle),
    tiles: tiles && within(tiles),
    left: tokenLeft === undefined ? left : most,
  };
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
