import 'server-only';
import { getIronSession, type IronSession, unsealData } from 'iron-session';
import { LRUCache } from 'lru-cache';
import { cookies, headers } from 'next/headers';
import { connection } from 'next/server';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { isLoopbackHost } from './config.ts';
import { runtime } from './runtime.ts';
import { digest } from './session/session-registry.ts';

/** The content of the cookie. */
interface Cookie {
  id?: string;
}

/**
 * Session ids of recently opened cookies: unsealing one takes longer than the rest of a poll. Whether the session is still valid
 * is checked at every request all the same.
 */
const openedCookies = new LRUCache<string, string>({ max: 1000, ttl: 5 * MINUTE_MS });

export type Viewer =
  | { readonly kind: 'operator'; readonly name: string; readonly sessionId: string }
  /** No sign-in is needed: the embedded service, used from this machine. */
  | { readonly kind: 'local' };

/** The name of the signed-in operator; `undefined` if no sign-in is required. */
export function operatorOf(viewer: Viewer): string | undefined {
  return viewer.kind === 'operator' ? viewer.name : undefined;
}

/** A separate name with TLS: `__Host-` binds the cookie to this host, https and the whole path. */
function cookieName(tls: boolean): string {
  return tls ? '__Host-lookout' : 'lookout';
}

async function sealedCookie(secret: string): Promise<IronSession<Cookie>> {
  const { tls } = runtime().config;
  return getIronSession<Cookie>(await cookies(), {
    password: secret,
    cookieName: cookieName(tls),
    cookieOptions: { secure: tls, httpOnly: true, sameSite: 'lax', path: '/' },
  });
}

/** The viewer of a page; `undefined` if sign-in is required. Every page checks this itself. */
export async function currentViewer(): Promise<Viewer | undefined> {
  // Evaluated per request, never at build time.
  await connection();
  const requestHeaders = await headers();
  return viewerOf(requestHeaders.get('cookie') ?? '', requestHeaders.get('host') ?? '');
}

/**
 * The viewer who sends these headers; `undefined` if sign-in is required. Every route handler checks this itself, except those
 * that begin and end a session.
 * @param cookies the `Cookie` header
 */
export async function viewerOf(cookies: string, host: string): Promise<Viewer | undefined> {
  const { sessions, config } = runtime();
  if (!sessions) return isLoopback(host) ? { kind: 'local' } : undefined;
  const sealed = readCookie(cookies, cookieName(config.tls));
  const id = sealed === undefined ? undefined : await opened(sealed, sessions.secret);
  const session = id === undefined ? undefined : sessions.registry.find(id);
  if (!session || id === undefined) return undefined;
  const passwordHash = sessions.operators.passwordHash(session.operator);
  if (passwordHash === undefined || digest(passwordHash) !== session.passwordDigest) {
    sessions.registry.close(id);
    return undefined;
  }
  return { kind: 'operator', name: session.operator, sessionId: id };
}

/** Sets the cookie of a session that was just opened, with a new id; an older session of this browser ends. */
export async function beginSession(sessionId: string): Promise<void> {
  const { sessions } = runtime();
  if (!sessions) return;
  const cookie = await sealedCookie(sessions.secret);
  if (cookie.id !== undefined) sessions.registry.close(cookie.id);
  cookie.id = sessionId;
  await cookie.save();
}

export async function endSession(): Promise<void> {
  const { sessions } = runtime();
  if (!sessions) return;
  const cookie = await sealedCookie(sessions.secret);
  if (cookie.id !== undefined) sessions.registry.close(cookie.id);
  cookie.destroy();
}

/** Without sign-in, only this machine's own names are served: another name that resolves here is a foreign site (DNS rebinding). */
function isLoopback(host: string): boolean {
  return isLoopbackHost(host.replace(/:\d+$/, ''));
}

/** Contains no % that starts no escape sequence, and so can be decoded. */
const URL_ENCODED = /^(?:[^%]|%[0-7][0-9A-Fa-f])*$/;

function readCookie(cookies: string, name: string): string | undefined {
  for (const cookie of cookies.split(';')) {
    const at = cookie.indexOf('=');
    if (cookie.slice(0, at).trim() !== name) continue;
    const value = cookie.slice(at + 1).trim();
    return URL_ENCODED.test(value) ? decodeURIComponent(value) : undefined;
  }
  return undefined;
}

/** The session id in a sealed cookie; `undefined` where we did not seal it. */
async function opened(sealed: string, secret: string): Promise<string | undefined> {
  const known = openedCookies.get(sealed);
  if (known !== undefined) return known;
  const { id } = await unsealData<Cookie>(sealed, { password: secret });
  if (id !== undefined) openedCookies.set(sealed, id);
  return id;
}
