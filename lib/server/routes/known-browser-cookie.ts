import 'server-only';
import { randomBytes } from 'node:crypto';
import { sealData, unsealData } from 'iron-session';
import { cookies } from 'next/headers';
import { z } from 'zod';
import { DAY_MS } from '#lib/time/time-units.ts';
import { runtime } from '../runtime.ts';
import { sealedCookiesOfRequest } from './same-name-cookies.ts';

/** Browsers' maximum. Signing in renews it. */
const KNOWN_FOR_S = (400 * DAY_MS) / 1000;
const ID_BYTES = 16;
const OPERATORS_MAX = 8;

const contentSchema = z.object({ known: z.array(z.object({ operator: z.string(), id: z.string() })) });
type Content = z.infer<typeof contentSchema>;

/** Strangers' failures delay no sign-in from a browser with this cookie, which gives no access. */
function cookieName(): string {
  return runtime().config.tls ? '__Host-lookout-browser' : 'lookout-browser';
}

export async function knownBrowser(secret: string, operator: string): Promise<string | undefined> {
  return (await readContent(secret)).known.find((entry) => entry.operator === operator)?.id;
}

export async function rememberBrowser(secret: string, operator: string): Promise<void> {
  const { known } = await readContent(secret);
  const own = known.find((entry) => entry.operator === operator) ?? {
    operator,
    id: randomBytes(ID_BYTES).toString('base64url'),
  };
  const content: Content = { known: [own, ...known.filter((entry) => entry !== own)].slice(0, OPERATORS_MAX) };
  (await cookies()).set(cookieName(), await sealData(content, { password: secret, ttl: KNOWN_FOR_S }), {
    httpOnly: true,
    secure: runtime().config.tls,
    sameSite: 'lax',
    path: '/',
    maxAge: KNOWN_FOR_S,
  });
}

async function readContent(secret: string): Promise<Content> {
  for (const sealed of await sealedCookiesOfRequest(cookieName())) {
    const content = contentSchema.safeParse(await unsealData(sealed, { password: secret, ttl: KNOWN_FOR_S }));
    if (content.success) return content.data;
  }
  return { known: [] };
}
