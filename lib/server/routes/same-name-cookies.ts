import 'server-only';
import { headers } from 'next/headers';

/** Contains no % that starts no escape sequence, and so can be decoded. */
const URL_ENCODED = /^(?:[^%]|%[0-7][0-9A-Fa-f])*$/;
/** How a sealed value starts: nothing else is worth the time that opening takes. */
const SEALED_PREFIX = 'Fe26.2*';
/** Less than a seal without content, which has 244 characters. */
const SEALED_MIN_LENGTH = 240;
/** Those that fit into the headers of one request, of 16 KiB: the count is bounded without leaving one out. */
const SEALED_MAX = Math.floor(16_384 / SEALED_MIN_LENGTH);

/**
 * The different sealed values of the cookies of this name. Browsers send one for each path and domain that it was set for. Without TLS,
 * neighbours of this host and other ports of it can set more of them, and which comes first is up to them.
 * @param header `Cookie`
 */
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

/** The same of the request that is being answered. Next's own `cookies()` has only the last of each name. */
export async function sealedCookiesOfRequest(name: string): Promise<ReadonlySet<string>> {
  return sealedCookies((await headers()).get('cookie') ?? '', name);
}
