import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { keyDigest } from '../issue-key.ts';
import { isKeyText } from '../key-text.ts';
import { makeAccountsFile } from '../sqlite/accounts-file.ts';
import { openSqliteAccess, type SqliteAccess } from '../sqlite/sqlite-access.ts';
import { openSqliteBook } from '../sqlite/sqlite-book.ts';
import type { KeyHolder } from '../access.ts';
import type { AccountBook, AuditedAct } from '../account-book.ts';
import { addAccount, listAccounts, removeAccount, setAccount, verifyEmail } from './accounts.ts';
import { type Acting, ActRefused } from './acting.ts';
import { NOTICES_AT_ONCE, takeNotices } from './expiry-notices.ts';
import { approveGrant, denyRequest, requestAccess, revokeGrant } from './grants.ts';
import { createKey, listKeys, revokeKeys, rotateKey } from './keys.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const TERMS = { scopes: ['adsb.live'], lookbackDays: 3, until: null, company: null, purpose: null } as const;

let now: UpstreamInstant;
let folder: string;
let access: SqliteAccess;
/** Two administrators at once. */
let books: readonly [AccountBook, AccountBook];
beforeEach(() => {
  now = START;
  folder = mkdtempSync(join(tmpdir(), 'accounts-'));
  const file = join(folder, 'accounts.sqlite');
  makeAccountsFile(file);
  access = openSqliteAccess(file, {
    now: () => now,
    log(entry) {
      throw new Error(entry);
    },
  });
  books = [openSqliteBook(file), openSqliteBook(file)];
});
afterEach(async () => {
  await Promise.all(books.map((book) => book.close()));
  access.close();
  rmSync(folder, { recursive: true });
});

const acting = (book = books[0]): Acting => ({ book, now, by: 'tester' });
const find = (secret: string): KeyHolder | undefined => access.findKey(keyDigest(secret));
const audited = (): Promise<readonly AuditedAct[]> =>
  books[1].read((rows) => rows.audit({ account: undefined, limit: 100 }));

/** An account A with a grant, and the secret of its key N. */
async function withKey(until: UpstreamInstant | null = null): Promise<string> {
  await addAccount(acting(), { name: 'A', allowance: { perMinute: 5, perDay: 100 } });
  await approveGrant(acting(), 'A', { ...TERMS, until });
  return (await createKey(acting(), { account: 'A', name: 'N' })).secret;
}

describe('what a service asks', () => {
  test('a key is found by its digest, with its account as it stands; other digests are not', async () => {
    const secret = await withKey(addMs(START, DAY_MS));
    expect(isKeyText(secret)).toBe(true);
    expect(find(secret)).toMatchObject({
      key: { expiresAt: addMs(START, DAY_MS), revokedAt: null },
      account: {
        grant: { active: true, expiresAt: addMs(START, DAY_MS) },
        scopes: new Set(['adsb.live']),
        lookbackDays: 3,
        allowance: { perMinute: 5, perDay: 100 },
      },
    });
    expect(find(`${secret}x`)).toBeUndefined();
  });

  test('what another administrator changes is seen: allowance, grant, revocation, removal', async () => {
    const secret = await withKey();
    const other = acting(books[1]);
    await setAccount(other, 'A', { allowance: { perMinute: 7, perDay: 8 } });
    expect(find(secret)?.account.allowance).toEqual({ perMinute: 7, perDay: 8 });
    await revokeGrant(other, 'A', undefined);
    expect(find(secret)?.account.grant.active).toBe(false);
    await revokeKeys(other, { account: 'A', name: 'N', onlyOld: false });
    expect(find(secret)?.key.revokedAt).toBe(START);
    await removeAccount(other, 'A');
    expect(find(secret)).toBeUndefined();
  });

  test('the last use of a key is kept, at most once a minute', async () => {
    const { keyId } = (find(await withKey())) as KeyHolder;
    const lastUse = async () => {
      return (await listKeys(acting(books[1]), 'A'))[0]?.key.lastUsedAt;
    };
    expect(await lastUse()).toBeNull();
    access.noteUse(keyId, START);
    access.noteUse(keyId, addMs(START, MINUTE_MS - 1));
    expect(await lastUse()).toBe(START);
    access.noteUse(keyId, addMs(START, MINUTE_MS));
    expect(await lastUse()).toBe(addMs(START, MINUTE_MS));
  });

  test('an account of the same name as a removed one starts anew', async () => {
    const first = (find(await withKey())) as KeyHolder;
    await access.quota.spend(first.account);
    expect((await listAccounts(acting()))[0]?.spentToday).toBe(1);
    await removeAccount(acting(), 'A');
    // A request of the removed account that is still being answered.
    await access.quota.spend(first.account);
    const second = (find(await withKey())) as KeyHolder;
    expect(second.account.id).not.toBe(first.account.id);
    expect((await listAccounts(acting()))[0]?.spentToday).toBe(0);
  });
});

describe('a change', () => {
  test('that fails changes nothing, and leaves no trace in the audit', async () => {
    const failing = books[0].change(async (rows) => {
      await rows.addAccount({
        name: 'A',
        createdAt: START,
        allowance: { perMinute: 1, perDay: 1 },
        email: null,
        grant: null,
        request: null,
      });
      throw new Error('after the first write');
    });
    await expect(failing).rejects.toThrow('after the first write');
    expect(await books[0].read((rows) => rows.accounts())).toEqual([]);
    expect(await audited()).toEqual([]);
  });

  test('is not lost among others at the same time', async () => {
    await withKey();
    await Promise.all(
      Array.from({ length: 20 }, () =>
        books[0].change(async (rows) => {
          const account = await rows.account('A');
          if (!account) throw new Error('no account');
          const { perMinute, perDay } = account.allowance;
          await rows.replaceAccount({ ...account, allowance: { perMinute: perMinute + 1, perDay } });
        }),
      ),
    );
    expect((await books[1].read((rows) => rows.account('A')))?.allowance.perMinute).toBe(25);
  });

  test('is in the audit with who made it and when, and never with a secret', async () => {
    const secret = await withKey();
    await revokeKeys(acting(), { account: 'a', name: 'n', onlyOld: false });
    const entries = await audited();
    expect(entries.map(({ act }) => act)).toEqual(['key revoke', 'key create', 'grant approve', 'account add']);
    expect(new Set(entries.map(({ by, at, account }) => `${by} ${at} ${account}`))).toEqual(
      new Set([`tester ${START} A`]),
    );
    expect(JSON.stringify(entries)).not.toContain(secret.slice(10));
  });
});

describe('an account', () => {
  test('has a name of its own, whatever its case or width', async () => {
    const allowance = { perMinute: 1, perDay: 1 };
    await addAccount(acting(), { name: 'Ärzte ohne Grenzen', allowance });
    const twice = addAccount(acting(), { name: 'ÄRZTE OHNE GRENZEN', allowance });
    await expect(twice).rejects.toThrow('There is an account Ärzte ohne Grenzen already');
    await expect(setAccount(acting(), 'Arzte', {})).rejects.toThrow(ActRefused);
  });

  test('with an e-mail address gets no access until the code sent to it came back', async () => {
    const email = 'ops@example.org';
    const added = await addAccount(acting(), { name: 'A', allowance: { perMinute: 1, perDay: 1 }, email });
    await expect(approveGrant(acting(), 'A', TERMS)).rejects.toThrow('is not verified');
    await expect(verifyEmail(acting(), 'A', 'WRONG')).rejects.toThrow('not the code');
    await verifyEmail(acting(), 'A', ` ${added.emailCode?.toLowerCase()} `);
    expect((await approveGrant(acting(), 'A', TERMS)).account.grant.state).toBe('active');
    const renewed = await setAccount(acting(), 'A', { email: 'new@example.org' });
    expect(renewed.account.email?.verifiedAt).toBeNull();
    now = addMs(START, 8 * DAY_MS);
    await expect(verifyEmail(acting(), 'A', renewed.emailCode ?? '')).rejects.toThrow('too old');
  });
});

describe('a grant', () => {
  beforeEach(() => addAccount(acting(), { name: 'A', allowance: { perMinute: 5, perDay: 100 } }));

  test('is approved as requested, and a denied request leaves what was approved', async () => {
    const asked = { ...TERMS, company: 'Rega', purpose: 'rescue flights' };
    await requestAccess(acting(), 'A', asked);
    expect((await approveGrant(acting(), 'A', {})).account).toMatchObject({ grant: asked, request: null });
    await requestAccess(acting(), 'A', { ...asked, scopes: ['rid.live'] });
    const denied = await denyRequest(acting(), 'A', 'not needed');
    expect(denied).toMatchObject({ grant: { scopes: ['adsb.live'] }, request: null });
    await expect(denyRequest(acting(), 'A', undefined)).rejects.toThrow('no request');
  });

  test('has exactly the scopes approved last; approved again without scopes, it keeps them', async () => {
    await approveGrant(acting(), 'A', TERMS);
    await approveGrant(acting(), 'A', { scopes: ['rid.live', 'rid.history'], lookbackDays: 30 });
    const until = addMs(START, DAY_MS);
    const { account } = await approveGrant(acting(), 'A', { until });
    expect(account.grant).toMatchObject({ scopes: ['rid.live', 'rid.history'], lookbackDays: 30, until });
  });

  test('needs scopes, and a lookback for history', async () => {
    await expect(approveGrant(acting(), 'A', {})).rejects.toThrow('--scopes');
    await expect(approveGrant(acting(), 'A', { scopes: ['rid.history'] })).rejects.toThrow('--lookback');
  });

  test('that is shortened ends its keys with it, and does not lengthen them again', async () => {
    await approveGrant(acting(), 'A', TERMS);
    await createKey(acting(), { account: 'A', name: 'N' });
    const until = addMs(START, DAY_MS);
    expect((await approveGrant(acting(), 'A', { until })).shortenedKeys).toBe(1);
    await approveGrant(acting(), 'A', { ...TERMS, until: addMs(START, 9 * DAY_MS) });
    expect((await listKeys(acting(), 'A'))[0]?.key.expiresAt).toBe(until);
  });
});

describe('a key', () => {
  const of = { account: 'A', name: 'N' };

  test('needs a grant in force', async () => {
    await addAccount(acting(), { name: 'A', allowance: { perMinute: 5, perDay: 100 } });
    await expect(createKey(acting(), of)).rejects.toThrow('no grant in force');
    await approveGrant(acting(), 'A', { ...TERMS, until: addMs(START, HOUR_MS) });
    now = addMs(START, HOUR_MS);
    await expect(createKey(acting(), of)).rejects.toThrow('no grant in force');
    await approveGrant(acting(), 'A', { ...TERMS });
    await revokeGrant(acting(), 'A', undefined);
    await expect(createKey(acting(), of)).rejects.toThrow('no grant in force');
  });

  test('lives at most 365 days and as long as its grant', async () => {
    await withKey();
    expect((await listKeys(acting(), 'A'))[0]?.key.expiresAt).toBe(addMs(START, 365 * DAY_MS));
    const create = (days: number, wholeDay: boolean) =>
      createKey(acting(), {
        account: 'A',
        name: `${days} ${wholeDay}`,
        expires: { at: addMs(START, days * DAY_MS), wholeDay },
      });
    expect((await create(365, false)).key.expiresAt).toBe(addMs(START, 365 * DAY_MS));
    await expect(create(365.5, false)).rejects.toThrow('at most');
    expect((await create(365.5, true)).key.expiresAt).toBe(addMs(START, 365 * DAY_MS));
    await expect(create(366, true)).rejects.toThrow('at most');
    await approveGrant(acting(), 'A', { ...TERMS, until: addMs(START, 2 * DAY_MS) });
    await expect(create(3, false)).rejects.toThrow('at most');
  });

  test('has a name that no other working key of the account has; a revoked one frees it', async () => {
    await withKey();
    await expect(createKey(acting(), { account: 'A', name: 'n' })).rejects.toThrow('key rotate');
    await revokeKeys(acting(), { ...of, onlyOld: false });
    await expect(revokeKeys(acting(), { ...of, onlyOld: false })).rejects.toThrow('no key N that works');
    await createKey(acting(), of);
  });

  test('that is rotated overlaps with the new one, no longer than it would have lived', async () => {
    const old = await withKey();
    const { secret, replaced } = await rotateKey(acting(), { ...of, overlapMs: HOUR_MS });
    expect(replaced.expiresAt).toBe(addMs(START, HOUR_MS));
    expect(find(old)?.key.expiresAt).toBe(addMs(START, HOUR_MS));
    expect(find(secret)?.key.expiresAt).toBe(addMs(START, 365 * DAY_MS));
    await expect(rotateKey(acting(), { ...of, overlapMs: 0 })).rejects.toThrow('--old');
    now = addMs(START, HOUR_MS);
    const last = await rotateKey(acting(), { ...of, overlapMs: 400 * DAY_MS });
    expect(last.replaced.expiresAt).toBe(addMs(START, 365 * DAY_MS));
  });

  test('that replaced another can be left when the other is revoked; without --old both are', async () => {
    const old = await withKey();
    const { secret } = await rotateKey(acting(), { ...of, overlapMs: HOUR_MS });
    await revokeKeys(acting(), { ...of, onlyOld: true });
    expect([find(old)?.key.revokedAt, find(secret)?.key.revokedAt]).toEqual([START, null]);
    await rotateKey(acting(), { ...of, overlapMs: HOUR_MS });
    expect((await revokeKeys(acting(), { ...of, onlyOld: false })).revoked).toHaveLength(2);
  });
});

test('of much that ends at once, a bounded part is announced at a time, and the rest next', async () => {
  await withKey(addMs(START, 20 * DAY_MS));
  await Promise.all(
    Array.from({ length: NOTICES_AT_ONCE }, (_, index) => createKey(acting(), { account: 'A', name: `${index}` })),
  );
  const passes = [1, 2, 3].map(() => takeNotices(books[0], START));
  // The grant with the first keys, then the key that was left.
  expect((await Promise.all(passes)).map(({ length }) => length)).toEqual([NOTICES_AT_ONCE + 1, 1, 0]);
});

test('what ends is announced 30, 7 and 1 days before, each once, and never what was revoked', async () => {
  await withKey(addMs(START, 40 * DAY_MS));
  await createKey(acting(), { account: 'A', name: 'revoked' });
  await revokeKeys(acting(), { account: 'A', name: 'revoked', onlyOld: false });
  const noticesAfter = async (days: number) => {
    now = addMs(START, days * DAY_MS);
    return (await takeNotices(books[0], now)).map((notice) => /(key N|grant).*(in [^,]+),/.exec(notice)?.[2]);
  };
  expect(await noticesAfter(9)).toEqual([]);
  expect(await noticesAfter(10)).toEqual(['in 30 days', 'in 30 days']);
  expect(await noticesAfter(32.5)).toEqual([]);
  expect(await noticesAfter(33.5)).toEqual(['in 6 days', 'in 6 days']);
  expect(await noticesAfter(39.5)).toEqual(['in less than a day', 'in less than a day']);
  expect(await noticesAfter(39.9)).toEqual([]);
  expect(await noticesAfter(40)).toEqual([]);
});
