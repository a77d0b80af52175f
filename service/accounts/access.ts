import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Account, KeyValidity } from './account.ts';
import type { Quota } from './quota.ts';

export interface KeyHolder {
  readonly keyId: string;
  readonly key: KeyValidity;
  readonly account: Account;
}

/** Changes apply from the next request on. */
export interface Access {
  /** By SHA-256; includes revoked and expired keys. */
  findKey(digest: Uint8Array): KeyHolder | undefined;
  /** Writes at most once a minute, and ignores failures. */
  noteUse(keyId: string, at: UpstreamInstant): void;
  readonly quota: Quota;
}
