import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { KeyHolder } from '#service/accounts/access.ts';
import { makeAccountsFile } from '#service/accounts/sqlite/accounts-file.ts';
import { openSqliteAccess } from '#service/accounts/sqlite/sqlite-access.ts';
import { openSqliteBook } from '#service/accounts/sqlite/sqlite-book.ts';
import { cpuMs } from '#testing/cpu-ms.ts';

const ACCOUNTS = 100_000;
const LOOKUPS = 200_000;
const SPENDERS = 20_000;

/** Accounts with one key each: how long a key is looked up, a request is charged, and a service takes to open them. */
export async function keys(): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-keys-'));
  try {
    const file = join(folder, 'accounts.sqlite');
    makeAccountsFile(file);
    const now = upstreamInstant(Date.now());
    const digestOf = (index: number) => createHash('sha256').update(`key ${index}`).digest();
    const book = openSqliteBook(file);
    book.change((rows) => {
      for (let index = 0; index < ACCOUNTS; index += 1) {
        const { id } = rows.addAccount({
          name: `account ${index}`,
          createdAt: now,
          allowance: { perMinute: 600, perDay: 20_000 },
          email: null,
          grant: {
            state: 'active',
            scopes: ['adsb.live', 'rid.history'],
            lookbackDays: 7,
            until: null,
            company: null,
            purpose: null,
            decidedAt: now,
            noticedDays: null,
          },
          request: null,
        });
        rows.addKey({
          accountId: id,
          name: 'key',
          digest: digestOf(index),
          startsWith: 'lkt_bench1',
          createdAt: now,
          expiresAt: addMs(now, 90 * DAY_MS),
          revokedAt: null,
          replacedAt: null,
          noticedDays: null,
        });
      }
    });
    book.close();

    const openedAt = performance.now();
    const access = openSqliteAccess(file, { now: () => now, log: (entry) => process.stderr.write(`${entry}\n`) });
    const openMs = performance.now() - openedAt;

    const known = Array.from({ length: LOOKUPS }, (_, count) => digestOf((count * 7919) % ACCOUNTS));
    const unknown = Array.from({ length: LOOKUPS }, () => randomBytes(32));
    let found = 0;
    const lookUpUs = microsecondsEach(known, (digest) => {
      if (access.findKey(digest) !== undefined) found += 1;
    });
    const unknownUs = microsecondsEach(unknown, (digest) => {
      if (access.findKey(digest) !== undefined) found += 1;
    });
    const holders = known.slice(0, SPENDERS).map((digest) => access.findKey(digest));
    const spend = (holder: KeyHolder | undefined) => holder && access.quota.spend(holder.account);
    // As after midnight: the first request of each account, all at once.
    const midnightAt = performance.now();
    await Promise.all(holders.map(spend));
    const midnightMs = performance.now() - midnightAt;
    const spendFrom = process.threadCpuUsage();
    for (let count = 0; count < SPENDERS; count += 1) await spend(holders[count % 100]);
    const { user, system } = process.threadCpuUsage(spendFrom);
    const spendUs = (user + system) / SPENDERS;
    access.close();
    return {
      accounts: ACCOUNTS,
      found,
      look_up_us: rounded(lookUpUs),
      unknown_us: rounded(unknownUs),
      spend_us: rounded(spendUs),
      first_of_20000_ms: Math.round(midnightMs),
      open_ms: Math.round(openMs),
      file_mb: rounded(statSync(file).size / 1e6),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Processor time. */
function microsecondsEach<Item>(items: readonly Item[], run: (item: Item) => void): number {
  return (cpuMs(() => items.forEach(run)) * 1000) / items.length;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
