import 'server-only';
import { createHmac, randomBytes } from 'node:crypto';
import { sealData, unsealData } from 'iron-session';
import { cookies } from 'next/headers';
import { z } from 'zod';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { runtime } from '../runtime.ts';
import { CHALLENGE_MAX_MS } from '../sign-in/challenges.ts';
import { sealedCookiesOfRequest } from './same-name-cookies.ts';

const LIVES_S = CHALLENGE_MAX_MS / SECOND_MS;
const ID_BYTES = 16;

const contentSchema = z.strictObject({ browser: z.string() });

function cookieName(tls: boolean): string {
  return tls ? '__Host-lookout-passkey' : 'lookout-passkey';
}

/** A secret of its own, so that no other cookie passes as this one. */
function sealWith(secret: string) {
  const password = createHmac('sha256', secret).update('browsers asked for a passkey').digest('base64url');
  return { password, ttl: LIVES_S };
}

export async function askedBrowser(secret: string): Promise<string | undefined> {
  for (const sealed of await sealedCookiesOfRequest(cookieName(runtime().config.tls))) {
    const content = contentSchema.safeParse(await unsealData(sealed, sealWith(secret)));
    if (content.success) return content.data.browser;
  }
  return undefined;
}

/** Only this browser's answer to the challenge counts. */
export async function askBrowser(secret: string): Promise<string> {
  const { tls } = runtime().config;
  const browser = (await askedBrowser(secret)) ?? randomBytes(ID_BYTES).toString('base64url');
  (await cookies()).set(cookieName(tls), await sealData({ browser }, sealWith(secret)), {
    httpOnly: true,
    secure: tls,
    sameSite: 'strict',
    path: '/',
    maxAge: LIVES_S,
  });
  return browser;
}
