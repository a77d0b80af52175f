import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Account, KeyValidity } from './account.ts';
import type { Quota } from './quota.ts';

/** A known key and its account, as they stand now. */
export interface KeyHolder {
  readonly keyId: string;
  readonly key: KeyValidity;
  readonly account: Account;
}

/** Looks up the caller of each request. A revocation or other change applies from the next request on. */
export interface Access {
  /** `undefined` if no key has this SHA-256. Revoked and expired keys are found as well. */
  findKey(digest: Uint8Array): KeyHolder | undefined;
  /** Records that the key was used. Written at most once a minute; a failure to write is nothing that a caller notices. */
  noteUse(keyId: string, at: UpstreamInstant): void;
  readonly quota: Quota;
}
