import 'server-only';
import { cookies } from 'next/headers';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { runtime } from '../runtime.ts';
import { LOGIN_MAX_MS } from '../sign-in/oidc/begun-logins.ts';
import { sealedCookies } from './same-name-cookies.ts';

/** `Lax`, because the provider sends the browser back from another site. */
const options = { httpOnly: true, sameSite: 'lax', path: '/', maxAge: LOGIN_MAX_MS / SECOND_MS } as const;

function cookieName(tls: boolean): string {
  return tls ? '__Host-lookout-login' : 'lookout-login';
}

export function loginCookies(header: string): readonly string[] {
  return [...sealedCookies(header, cookieName(runtime().config.tls))];
}

/** @param sealed `undefined` removes it */
export async function writeLoginCookie(sealed: string | undefined): Promise<void> {
  const { tls } = runtime().config;
  const store = await cookies();
  if (sealed !== undefined) store.set(cookieName(tls), sealed, { ...options, secure: tls });
  else if (store.has(cookieName(tls))) store.set(cookieName(tls), '', { ...options, secure: tls, maxAge: 0 });
}
