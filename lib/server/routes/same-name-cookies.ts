import 'server-only';
import { headers } from 'next/headers';

const URL_ENCODED = /^(?:[^%]|%[0-7][0-9A-Fa-f])*$/;
/** Other values are not worth the time of opening. */
const SEALED_PREFIX = 'Fe26.2*';
/** A seal without content has 244 characters. */
const SEALED_MIN_LENGTH = 240;
/** As many as fit into a request's headers (16 KiB): bounds the count without dropping one. */
const SEALED_MAX = Math.floor(16_384 / SEALED_MIN_LENGTH);

/**
 * Browsers send one for each path and domain. Without TLS, neighbours and other ports of this host can plant some, in
 * any order.
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

export async function sealedCookiesOfRequest(name: string): Promise<ReadonlySet<string>> {
  return sealedCookies((await headers()).get('cookie') ?? '', name);
}
