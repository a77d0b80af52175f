import type { UpstreamInstant } from '#lib/time/instant.ts';
import { Refusal } from '../http/refusal.ts';
import type { Access, KeyHolder } from './access.ts';
import type { KeyValidity } from './account.ts';
import type { AddressLimit } from './address-limit.ts';
import { keyDigest } from './issue-key.ts';
import { isMistyped } from './key-text.ts';

/** RFC 6750; the scheme's name is case-insensitive (RFC 9110, 11.1). */
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

export interface Credentials {
  readonly authorization: readonly string[];
  readonly address: string;
}

/**
 * Keys are found by SHA-256, so timing reveals nothing.
 * @throws Refusal 401 unless exactly one Authorization header has a key valid at `now`; 429 after too many wrong keys
 */
export function authenticate(
  access: Access,
  limit: AddressLimit | undefined,
  { authorization, address }: Credentials,
  now: UpstreamInstant,
): KeyHolder {
  const [header, ...others] = authorization;
  if (header === undefined) throw unauthorized('An API key is required: Authorization: Bearer <API_KEY>.');
  const secret = others.length === 0 ? bearer.exec(header)?.[1] : undefined;
  if (secret === undefined) {
    throw unauthorized('One Authorization header of the form Bearer <API_KEY> is required.');
  }
  const digest = keyDigest(secret);
  const waitS = limit?.waitS(address, digest, now) ?? 0;
  if (waitS > 0) {
    throw new Refusal('address_limit', 'Too many invalid keys came from your address: wait, and check the key.', {
      'retry-after': String(waitS),
    });
  }
  const holder = isMistyped(secret) ? undefined : access.findKey(digest);
  if (holder === undefined || !isValidAt(holder.key, now)) {
    limit?.refused(address, digest, now);
    // Reveals nothing about existing keys.
    throw unauthorized('The API key is invalid, expired or revoked.');
  }
  limit?.accepted(digest, now);
  return holder;
}

function isValidAt(key: KeyValidity, now: UpstreamInstant): boolean {
  return now < key.expiresAt && (key.revokedAt === null || now < key.revokedAt);
}

function unauthorized(message: string): Refusal {
  return new Refusal('unauthorized', message, { 'www-authenticate': 'Bearer' });
}
