import type { UpstreamInstant } from '#lib/time/instant.ts';
import { Refusal } from '../http/refusal.ts';
import type { Access, KeyHolder } from './access.ts';
import type { KeyValidity } from './account.ts';
import type { AddressLimit } from './address-limit.ts';
import { keyDigest } from './issue-key.ts';
import { isMistyped } from './key-text.ts';

/** RFC 6750: one space or more, then a token68. The scheme's name is case-insensitive (RFC 9110, 11.1). */
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

export interface Credentials {
  /** Every Authorization header of the request. */
  readonly authorization: readonly string[];
  /** The caller's address. */
  readonly address: string;
}

/**
 * Returns who owns the presented key. There must be exactly one Authorization header, and the key must be valid at `now`; otherwise
 * throws the contract's 401. Keys are found by their SHA-256: with 256 random bits in a key, the time that a look-up takes says nothing
 * about another one. Throws a 429 if too many wrong keys came from the address.
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
    // One message for unknown, expired and revoked keys, so that it reveals nothing about keys that exist.
    throw unauthorized('The API key is invalid, expired or revoked.');
  }
  limit?.accepted(digest, now);
  return holder;
}

function isValidAt(key: KeyValidity, now: UpstreamInstant): boolean {
  return now < key.expiresAt && (key.revokedAt === null || now < key.revokedAt);
}

/** RFC 9110 (15.5.2) requires a challenge in every 401. */
function unauthorized(message: string): Refusal {
  return new Refusal('unauthorized', message, { 'www-authenticate': 'Bearer' });
}
