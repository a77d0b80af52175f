import type { Scope } from '#lib/contract/operation.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { Refusal } from '../http/answer.ts';
import type { Account, IssuedKey, KeyValidity } from './account.ts';
import type { AddressLimit } from './address-limit.ts';
import { digestText, isMistyped, keyDigest } from './api-key.ts';
import { makeQuota, type Quota } from './quota.ts';

export interface KeyHolder {
  readonly keyId: string;
  readonly key: KeyValidity;
  readonly account: Account;
}

/**
 * The accounts that a service serves. This file decides which request passes: `authenticate` finds the account of its
 * key, `authorise` and `authoriseLookback` compare the account with what is requested. A change of an account applies
 * from the next request on.
 */
export interface AccountAccess {
  /** Finds a key by its SHA-256, also a revoked or expired one. */
  findKey(digest: Uint8Array): KeyHolder | undefined;
  /** Writes the time of the key's latest use, at most once a minute, and ignores failures. */
  noteUse(keyId: string, at: UpstreamInstant): void;
  readonly quota: Quota;
}

/** @throws Refusal 401 unless exactly one header has a key that is valid at `now`; 429 after too many wrong keys */
export function authenticate(
  access: AccountAccess,
  limit: AddressLimit | undefined,
  credentials: Credentials,
  now: UpstreamInstant,
): KeyHolder {
  if (credentials.authorization.length === 0) {
    throw unauthorized('An API key is required: Authorization: Bearer <API_KEY>.');
  }
  return requireHolder(limit, credentials, now, {
    find(digest, secret) {
      const holder = isMistyped(secret) ? undefined : access.findKey(digest);
      return holder && isValidAt(holder.key, now) ? holder : undefined;
    },
    wrongForm: 'One Authorization header of the form Bearer <API_KEY> is required.',
    // The message is the same for each cause, since it must reveal nothing about existing keys.
    unknown: 'The API key is invalid, expired or revoked.',
  });
}

interface Credentials {
  readonly authorization: readonly string[];
  readonly address: string;
}

/** RFC 6750; the scheme's name is case-insensitive (RFC 9110, 11.1). */
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * The holder of the only key in the headers. Keys are found by SHA-256, so timing reveals nothing.
 * @throws Refusal 401 without such a key; 429 after too many wrong ones from the address
 */
export function requireHolder<Holder>(
  limit: AddressLimit | undefined,
  { authorization, address }: Credentials,
  now: UpstreamInstant,
  by: {
    readonly find: (digest: Uint8Array, secret: string) => Holder | undefined;
    readonly wrongForm: string;
    readonly unknown: string;
  },
): Holder {
  const secret = authorization.length === 1 ? bearer.exec(authorization[0] as string)?.[1] : undefined;
  if (secret === undefined) throw unauthorized(by.wrongForm);
  const digest = keyDigest(secret);
  const waitS = limit?.waitS(address, digest, now) ?? 0;
  if (waitS > 0) {
    throw new Refusal('address_limit', 'Too many invalid keys came from your address: wait, and check the key.', {
      'retry-after': String(waitS),
    });
  }
  const holder = by.find(digest, secret);
  if (holder === undefined) {
    limit?.refused(address, digest, now);
    throw unauthorized(by.unknown);
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

/** @throws Refusal 403 if the grant is inactive or expired, or lacks the scope */
export function authorise(account: Account, scope: Scope, now: UpstreamInstant): void {
  if (!account.grant.active) throw new Refusal('grant_inactive', "The account's grant is not active.");
  const { expiresAt } = account.grant;
  if (expiresAt !== null && now >= expiresAt) throw new Refusal('grant_expired', "The account's grant has expired.");
  if (!account.scopes.has(scope)) {
    throw new Refusal('scope_not_approved', `The account is not approved for ${scope}.`);
  }
}

/** @throws Refusal 403 if the window starts before the approved lookback */
export function authoriseLookback(account: Account, window: Window, now: UpstreamInstant): void {
  if (window.start >= addMs(now, -account.lookbackDays * DAY_MS)) return;
  throw new Refusal(
    'outside_lookback',
    `The account may read history of the last ${account.lookbackDays} days only: use a later start.`,
  );
}

export interface AccountWithKeys extends Account {
  readonly keys: readonly IssuedKey[];
}

/** For a service without a data directory: its accounts never change, and their counters end with the process. */
export function memoryAccess(accounts: readonly AccountWithKeys[], now: () => UpstreamInstant): AccountAccess {
  const holders = new Map<string, KeyHolder>();
  for (const account of accounts) {
    for (const key of account.keys) {
      holders.set(digestText(key.digest), { keyId: `${account.id} ${key.name}`, key, account });
    }
  }
  return { findKey: (digest) => holders.get(digestText(digest)), noteUse() {}, quota: makeQuota(now) };
}
