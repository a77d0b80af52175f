import { timingSafeEqual } from 'node:crypto';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { Refusal } from '../http/refusal.ts';
import type { Account, IssuedKey } from './account.ts';
import { keyDigest } from './issue-key.ts';

/** RFC 6750: one space or more, then a token68. The scheme's name is case-insensitive (RFC 9110, 11.1). */
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Returns the account that owns the presented key. There must be exactly one Authorization header, and the key must be
 * valid at `now`; otherwise throws the contract's 401. Every known digest is compared in constant time, so that timing
 * reveals nothing about a key.
 */
export function authenticate(
  accounts: readonly Account[],
  authorizationHeaders: readonly string[],
  now: UpstreamInstant,
): Account {
  const [header, ...others] = authorizationHeaders;
  if (header === undefined) throw unauthorized('An API key is required: Authorization: Bearer <API_KEY>.');
  const secret = others.length === 0 ? bearer.exec(header)?.[1] : undefined;
  if (secret === undefined) {
    throw unauthorized('One Authorization header of the form Bearer <API_KEY> is required.');
  }
  const presented = keyDigest(secret);
  let owner: Account | undefined;
  for (const account of accounts) {
    for (const key of account.keys) {
      const matches = timingSafeEqual(key.digest, presented);
      if (matches && isValidAt(key, now)) owner = account;
    }
  }
  // One message for unknown, expired and revoked keys, so that it reveals nothing about keys that exist.
  if (owner === undefined) throw unauthorized('The API key is invalid, expired or revoked.');
  return owner;
}

function isValidAt(key: IssuedKey, now: UpstreamInstant): boolean {
  return now < key.expiresAt && (key.revokedAt === null || now < key.revokedAt);
}

/** RFC 9110 (15.5.2) requires a challenge in every 401. */
function unauthorized(message: string): Refusal {
  return new Refusal('unauthorized', message, { 'www-authenticate': 'Bearer' });
}
