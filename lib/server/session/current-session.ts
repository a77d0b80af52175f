import 'server-only';
import { getIronSession, type IronSession } from 'iron-session';
import { cookies, headers } from 'next/headers';
import { connection } from 'next/server';
import { isLoopbackHost } from '../config.ts';
import { runtime } from '../runtime.ts';
import { digest } from './session-registry.ts';

/** All that the cookie carries. */
interface Cookie {
  id?: string;
}

export type Viewer =
  | { readonly kind: 'operator'; readonly name: string; readonly sessionId: string }
  /** No sign-in is needed: the embedded service, asked from this machine. */
  | { readonly kind: 'local' };

/** Behind a name of its own with TLS: `__Host-` binds the cookie to this host, https and the whole path. */
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

/** Who asks; `undefined` for somebody who must sign in first. Every route handler and page asks this itself. */
export async function currentViewer(): Promise<Viewer | undefined> {
  // Asked for each request anew, and never while the app is built.
  await connection();
  const { sessions } = runtime();
  if (!sessions) return (await isLoopbackRequest()) ? { kind: 'local' } : undefined;
  const { id } = await sealedCookie(sessions.secret);
  const session = id === undefined ? undefined : sessions.registry.find(id);
  if (!session || id === undefined) return undefined;
  const passwordHash = sessions.operators.passwordHash(session.operator);
  if (passwordHash === undefined || digest(passwordHash) !== session.passwordDigest) {
    sessions.registry.close(id);
    return undefined;
  }
  return { kind: 'operator', name: session.operator, sessionId: id };
}

/** Sets the cookie of a session that was just opened, under a new id; an older session of this browser ends. */
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

/** Without sign-in only this machine's own names are served: another name that points here is somebody else's page. */
async function isLoopbackRequest(): Promise<boolean> {
  const host = (await headers()).get('host') ?? '';
  return isLoopbackHost(host.replace(/:\d+$/, ''));
}
