import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Access, KeyHolder } from './access.ts';
import type { Account, IssuedKey } from './account.ts';
import { makeQuota } from './quota.ts';

export interface AccountWithKeys extends Account {
  readonly keys: readonly IssuedKey[];
}

export function memoryAccess(accounts: readonly AccountWithKeys[], now: () => UpstreamInstant): Access {
  const holders = new Map<string, KeyHolder>();
  for (const account of accounts) {
    for (const key of account.keys) {
      holders.set(textOf(key.digest), { keyId: `${account.id} ${key.name}`, key, account });
    }
  }
  return { findKey: (digest) => holders.get(textOf(digest)), noteUse() {}, quota: makeQuota(now) };
}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('latin1');
}
