// Cookies of Lookout other than the session, sealed with a secret of this Lookout: one that does not open counts as none.
// The session itself is read in viewer.ts. A browser sends one cookie for each path and domain, and neighbours of a host
// without TLS can plant some: so each reader looks at all of a name.
import 'server-only';
import { createHmac, randomBytes } from 'node:crypto';
import { sealData, unsealData } from 'iron-session';
import { cookies, headers } from 'next/headers';
import { z } from 'zod';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { runtime } from '../runtime.ts';
import { LOGIN_MAX_MS } from '../sign-in/oidc/begun-logins.ts';
import { SHORT_LIVED_MS } from '../sign-in/short-lived.ts';

/** A browser that is known keeps this for 400 days, the most that browsers allow. Signing in renews it. */
const KNOWN_FOR_S = (400 * DAY_MS) / SECOND_MS;
const CHALLENGE_FOR_S = SHORT_LIVED_MS.challenge / SECOND_MS;
const KNOWN_OPERATORS_MAX = 8;

const URL_ENCODED = /^(?:[^%]|%[0-7][0-9A-Fa-f])*$/;
/** Other values are not worth the time of opening. */
const SEALED_PREFIX = 'Fe26.2*';
/** A seal without content has 244 characters. */
const SEALED_MIN_LENGTH = 240;
/** As many as fit into a request's headers (16 KiB): this bounds the count without dropping one. */
const SEALED_MAX = Math.floor(16_384 / SEALED_MIN_LENGTH);

const knownSchema = z.object({ known: z.array(z.object({ operator: z.string(), id: z.string() })) });
const wallSchema = z.strictObject({ token: z.string() });
const askedSchema = z.strictObject({ browser: z.string() });

type Purpose = '-browser' | '-login' | '-passkey' | '-wall';

/** With TLS, `__Host-` binds a cookie to this host, https and the whole path. @param purpose '' for the session */
export function cookieName(purpose: '' | Purpose, { tls } = runtime().config): string {
  return `${tls ? '__Host-' : ''}lookout${purpose}`;
}

/** The sealed values of a name, in the order of the header. */
export function sealedCookies(header: string, name: string): ReadonlySet<string> {
  const values = new Set<string>();
  for (const cookie of header.split(';')) {
    const at = cookie.indexOf('=');
    if (cookie.slice(0, at).trim() !== name) continue;
    const value = cookie.slice(at + 1).trim();
    if (!URL_ENCODED.test(value)) continue;
    const sealed = decodeURIComponent(value);
    if (sealed.startsWith(SEALED_PREFIX) && sealed.length >= SEALED_MIN_LENGTH) values.add(sealed);
    if (values.size === SEALED_MAX) break;
  }
  return values;
}

export async function sealedCookiesOfRequest(name: string): Promise<ReadonlySet<string>> {
  return sealedCookies((await headers()).get('cookie') ?? '', name);
}

/** The id of this browser, if the operator signed in with it before. It delays no sign-in, and gives no access. */
export async function knownBrowser(secret: string, operator: string): Promise<string | undefined> {
  return (await knownOperators(secret)).find((entry) => entry.operator === operator)?.id;
}

export async function rememberBrowser(secret: string, operator: string): Promise<void> {
  const known = await knownOperators(secret);
  const own = known.find((entry) => entry.operator === operator) ?? { operator, id: newId() };
  const others = known.filter((entry) => entry !== own);
  const content: z.infer<typeof knownSchema> = { known: [own, ...others].slice(0, KNOWN_OPERATORS_MAX) };
  await keep('-browser', await sealData(content, { password: secret, ttl: KNOWN_FOR_S }), 'lax', KNOWN_FOR_S);
}

async function knownOperators(secret: string) {
  const content = await firstOpened('-browser', knownSchema, { password: secret, ttl: KNOWN_FOR_S });
  return content?.known ?? [];
}

/** The browser that requested a passkey's challenge: no other one can answer it. */
export async function askedBrowser(secret: string): Promise<string | undefined> {
  return (await firstOpened('-passkey', askedSchema, challengeSeal(secret)))?.browser;
}

export async function askBrowser(secret: string): Promise<string> {
  const browser = (await askedBrowser(secret)) ?? newId();
  await keep('-passkey', await sealData({ browser }, challengeSeal(secret)), 'strict', CHALLENGE_FOR_S);
  return browser;
}

function challengeSeal(secret: string) {
  return { password: ownSecret(secret, 'browsers asked for a passkey'), ttl: CHALLENGE_FOR_S };
}

/** Of sign-ins that were begun at the provider, still sealed. */
export function loginCookies(header: string): readonly string[] {
  return [...sealedCookies(header, cookieName('-login'))];
}

/**
 * `Lax`, because the provider sends the browser back from another site.
 * @param sealed `undefined` removes it
 */
export async function writeLoginCookie(sealed: string | undefined): Promise<void> {
  if (sealed !== undefined) return keep('-login', sealed, 'lax', LOGIN_MAX_MS / SECOND_MS);
  if ((await cookies()).has(cookieName('-login'))) await keep('-login', '', 'lax', 0);
}

/** @returns the secret of the wall's token */
export async function openedWall(sealed: string, secret: string): Promise<string | undefined> {
  return wallSchema.safeParse(await unsealData(sealed, wallSeal(secret))).data?.token;
}

/** @param endsAt when the token ends, as text */
export async function writeWallCookie(token: string, secret: string, endsAt: string | null): Promise<void> {
  const leftS = endsAt === null ? KNOWN_FOR_S : Math.floor((Date.parse(endsAt) - Date.now()) / SECOND_MS);
  await keep('-wall', await sealData({ token }, wallSeal(secret)), 'strict', Math.min(KNOWN_FOR_S, leftS));
}

export async function dropWallCookie(): Promise<void> {
  if ((await cookies()).has(cookieName('-wall'))) await keep('-wall', '', 'strict', 0);
}

/** The token ends it, not time. */
function wallSeal(secret: string) {
  return { password: ownSecret(secret, 'walls'), ttl: 0 };
}

/** No other cookie passes as one of this purpose. */
function ownSecret(secret: string, purpose: string): string {
  return createHmac('sha256', secret).update(purpose).digest('base64url');
}

async function firstOpened<Content>(
  purpose: '-browser' | '-passkey',
  schema: z.ZodType<Content>,
  seal: { readonly password: string; readonly ttl: number },
): Promise<Content | undefined> {
  for (const sealed of await sealedCookiesOfRequest(cookieName(purpose))) {
    const content = schema.safeParse(await unsealData(sealed, seal));
    if (content.success) return content.data;
  }
  return undefined;
}

async function keep(purpose: Purpose, value: string, sameSite: 'lax' | 'strict', maxAge: number): Promise<void> {
  const { tls } = runtime().config;
  (await cookies()).set(cookieName(purpose), value, { httpOnly: true, secure: tls, sameSite, path: '/', maxAge });
}

function newId(): string {
  return randomBytes(16).toString('base64url');
}
