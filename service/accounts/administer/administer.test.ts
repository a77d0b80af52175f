import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { KeyHolder } from '../access.ts';
import type { AccountBook, AuditedAct } from '../account-book.ts';
import { isKeyText, keyDigest } from '../api-key.ts';
import { makeAccountsFile } from '../sqlite/accounts-file.ts';
import { openSqliteAccess, type SqliteAccess } from '../sqlite/sqlite-access.ts';
import { openSqliteBook } from '../sqlite/sqlite-book.ts';
import {
  type Acting,
  ActRefused,
  addAccount,
  listAccounts,
  removeAccount,
  setAccount,
  verifyEmail,
} from './accounts.ts';
import { NOTICES_AT_ONCE, takeNotices } from './expiry-notices.ts';
import { approveGrant, denyRequest, requestAccess, revokeGrant } from './grants.ts';
import { createKey, listKeys, revokeKeys, rotateKey } from './keys.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const TERMS = { scopes: ['adsb.live'], lookbackDays: 3, until: null, company: null, purpose: null } as const;

let now: UpstreamInstant;
let folder: string;
let access: SqliteAccess;
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
afterEach(() => {
  for (const book of books) book.close();
  access.close();
  rmSync(folder, { recursive: true });
});

const acting = (book = books[0]): Acting => ({ book, now, by: 'tester' });
const find = (secret: string): KeyHolder | undefined => access.findKey(keyDigest(secret));
const audited = (): readonly AuditedAct[] => books[1].read((rows) => rows.audit({ account: undefined, limit: 100 }));

function withKey(until: UpstreamInstant | null = null): string {
  addAccount(acting(), { name: 'A', allowance: { perMinute: 5, perDay: 100 } });
  approveGrant(acting(), 'A', { ...TERMS, until });
  return createKey(acting(), { account: 'A', name: 'N' }).secret;
}

describe('what a service asks', () => {
  test('finds a key by its digest, with the current account, and no other digest', () => {
    const secret = withKey(addMs(START, DAY_MS));
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

  test('sees another administrator’s changes: allowance, grant, revocation, removal', () => {
    const secret = withKey();
    const other = acting(books[1]);
    setAccount(other, 'A', { allowance: { perMinute: 7, perDay: 8 } });
    expect(find(secret)?.account.allowance).toEqual({ perMinute: 7, perDay: 8 });
    revokeGrant(other, 'A', undefined);
    expect(find(secret)?.account.grant.active).toBe(false);
    revokeKeys(other, { account: 'A', name: 'N', onlyOld: false });
    expect(find(secret)?.key.revokedAt).toBe(START);
    removeAccount(other, 'A');
    expect(find(secret)).toBeUndefined();
  });

  test('the last use of a key is kept, at most once a minute', () => {
    const { keyId } = find(withKey()) as KeyHolder;
    const lastUse = () => {
      return listKeys(acting(books[1]), 'A')[0]?.key.lastUsedAt;
    };
    expect(lastUse()).toBeNull();
    access.noteUse(keyId, START);
    access.noteUse(keyId, addMs(START, MINUTE_MS - 1));
    expect(lastUse()).toBe(START);
    access.noteUse(keyId, addMs(START, MINUTE_MS));
    expect(lastUse()).toBe(addMs(START, MINUTE_MS));
  });

  test('an account with the name of a removed one starts from zero', async () => {
    const first = find(withKey()) as KeyHolder;
    await access.quota.spend(first.account);
    expect(listAccounts(acting())[0]?.spentToday).toBe(1);
    removeAccount(acting(), 'A');
    await access.quota.spend(first.account);
    const second = find(withKey()) as KeyHolder;
    expect(second.account.id).not.toBe(first.account.id);
    expect(listAccounts(acting())[0]?.spentToday).toBe(0);
  });
});

describe('a change', () => {
  test('that fails changes nothing, and leaves no trace in the audit', () => {
    const failing = () =>
      books[0].change((rows) => {
        rows.addAccount({
          name: 'A',
          createdAt: START,
          allowance: { perMinute: 1, perDay: 1 },
          email: null,
          grant: null,
          request: null,
        });
        throw new Error('after the first write');
      });
    expect(failing).toThrow('after the first write');
    expect(books[0].read((rows) => rows.accounts())).toEqual([]);
    expect(audited()).toEqual([]);
  });

  test('is in the audit with who made it and when, and never with a secret', () => {
    const secret = withKey();
    revokeKeys(acting(), { account: 'a', name: 'n', onlyOld: false });
    const entries = audited();
    expect(entries.map(({ act }) => act)).toEqual(['key revoke', 'key create', 'grant approve', 'account add']);
    expect(new Set(entries.map(({ by, at, account }) => `${by} ${at} ${account}`))).toEqual(
      new Set([`tester ${START} A`]),
    );
    expect(JSON.stringify(entries)).not.toContain(secret.slice(10));
  });
});

describe('an account', () => {
  test('has a name of its own, whatever its case or width', () => {
    const allowance = { perMinute: 1, perDay: 1 };
    addAccount(acting(), { name: 'Ärzte ohne Grenzen', allowance });
    const twice = () => addAccount(acting(), { name: 'ÄRZTE OHNE GRENZEN', allowance });
    expect(twice).toThrow('There is an account Ärzte ohne Grenzen already');
    expect(() => setAccount(acting(), 'Arzte', {})).toThrow(ActRefused);
  });

  test('with an e-mail address gets no access until the code sent to it came back', () => {
    const email = 'ops@example.org';
    const added = addAccount(acting(), { name: 'A', allowance: { perMinute: 1, perDay: 1 }, email });
    expect(() => approveGrant(acting(), 'A', TERMS)).toThrow('is not verified');
    expect(() => verifyEmail(acting(), 'A', 'WRONG')).toThrow('not the code');
    verifyEmail(acting(), 'A', ` ${added.emailCode?.toLowerCase()} `);
    expect(approveGrant(acting(), 'A', TERMS).account.grant.state).toBe('active');
    const renewed = setAccount(acting(), 'A', { email: 'new@example.org' });
    expect(renewed.account.email?.verifiedAt).toBeNull();
    now = addMs(START, 8 * DAY_MS);
    expect(() => verifyEmail(acting(), 'A', renewed.emailCode ?? '')).toThrow('too old');
  });
});

describe('a grant', () => {
  beforeEach(() => addAccount(acting(), { name: 'A', allowance: { perMinute: 5, perDay: 100 } }));

  test('is approved as requested, and a denied request leaves what was approved', () => {
    const asked = { ...TERMS, company: 'Rega', purpose: 'rescue flights' };
    requestAccess(acting(), 'A', asked);
    expect(approveGrant(acting(), 'A', {}).account).toMatchObject({ grant: asked, request: null });
    requestAccess(acting(), 'A', { ...asked, scopes: ['rid.live'] });
    const denied = denyRequest(acting(), 'A', 'not needed');
    expect(denied).toMatchObject({ grant: { scopes: ['adsb.live'] }, request: null });
    expect(() => denyRequest(acting(), 'A', undefined)).toThrow('no request');
  });

  test('has exactly the scopes approved last; approved again without scopes, it keeps them', () => {
    approveGrant(acting(), 'A', TERMS);
    approveGrant(acting(), 'A', { scopes: ['rid.live', 'rid.history'], lookbackDays: 30 });
    const until = addMs(START, DAY_MS);
    const { account } = approveGrant(acting(), 'A', { until });
    expect(account.grant).toMatchObject({ scopes: ['rid.live', 'rid.history'], lookbackDays: 30, until });
  });

  test('needs scopes, and a lookback for history', () => {
    expect(() => approveGrant(acting(), 'A', {})).toThrow('--scopes');
    expect(() => approveGrant(acting(), 'A', { scopes: ['rid.history'] })).toThrow('--lookback');
  });

  test('that is shortened ends its keys with it, and does not lengthen them again', () => {
    approveGrant(acting(), 'A', TERMS);
    createKey(acting(), { account: 'A', name: 'N' });
    const until = addMs(START, DAY_MS);
    expect(approveGrant(acting(), 'A', { until }).shortenedKeys).toBe(1);
    approveGrant(acting(), 'A', { ...TERMS, until: addMs(START, 9 * DAY_MS) });
    expect(listKeys(acting(), 'A')[0]?.key.expiresAt).toBe(until);
  });
});

describe('a key', () => {
  const of = { account: 'A', name: 'N' };

  test('needs a grant in force', () => {
    addAccount(acting(), { name: 'A', allowance: { perMinute: 5, perDay: 100 } });
    expect(() => createKey(acting(), of)).toThrow('no grant in force');
    approveGrant(acting(), 'A', { ...TERMS, until: addMs(START, HOUR_MS) });
    now = addMs(START, HOUR_MS);
    expect(() => createKey(acting(), of)).toThrow('no grant in force');
    approveGrant(acting(), 'A', { ...TERMS });
    revokeGrant(acting(), 'A', undefined);
    expect(() => createKey(acting(), of)).toThrow('no grant in force');
  });

  test('lives at most 365 days and as long as its grant', () => {
    withKey();
    expect(listKeys(acting(), 'A')[0]?.key.expiresAt).toBe(addMs(START, 365 * DAY_MS));
    const create = (days: number, wholeDay: boolean) =>
      createKey(acting(), {
        account: 'A',
        name: `${days} ${wholeDay}`,
        expires: { at: addMs(START, days * DAY_MS), wholeDay },
      });
    expect(create(365, false).key.expiresAt).toBe(addMs(START, 365 * DAY_MS));
    expect(() => create(365.5, false)).toThrow('at most');
    expect(create(365.5, true).key.expiresAt).toBe(addMs(START, 365 * DAY_MS));
    expect(() => create(366, true)).toThrow('at most');
    approveGrant(acting(), 'A', { ...TERMS, until: addMs(START, 2 * DAY_MS) });
    expect(() => create(3, false)).toThrow('at most');
  });

  test('has a name that no other working key of the account has; a revoked one frees it', () => {
    withKey();
    expect(() => createKey(acting(), { account: 'A', name: 'n' })).toThrow('key rotate');
    revokeKeys(acting(), { ...of, onlyOld: false });
    expect(() => revokeKeys(acting(), { ...of, onlyOld: false })).toThrow('no key N that works');
    createKey(acting(), of);
  });

  test('that is rotated overlaps with the new one, no longer than it would have lived', () => {
    const old = withKey();
    const { secret, replaced } = rotateKey(acting(), { ...of, overlapMs: HOUR_MS });
    expect(replaced.expiresAt).toBe(addMs(START, HOUR_MS));
    expect(find(old)?.key.expiresAt).toBe(addMs(START, HOUR_MS));
    expect(find(secret)?.key.expiresAt).toBe(addMs(START, 365 * DAY_MS));
    expect(() => rotateKey(acting(), { ...of, overlapMs: 0 })).toThrow('--old');
    now = addMs(START, HOUR_MS);
    const last = rotateKey(acting(), { ...of, overlapMs: 400 * DAY_MS });
    expect(last.replaced.expiresAt).toBe(addMs(START, 365 * DAY_MS));
  });

  test('that replaced another can be left when the other is revoked; without --old both are', () => {
    const old = withKey();
    const { secret } = rotateKey(acting(), { ...of, overlapMs: HOUR_MS });
    revokeKeys(acting(), { ...of, onlyOld: true });
    expect([find(old)?.key.revokedAt, find(secret)?.key.revokedAt]).toEqual([START, null]);
    rotateKey(acting(), { ...of, overlapMs: HOUR_MS });
    expect(revokeKeys(acting(), { ...of, onlyOld: false }).revoked).toHaveLength(2);
  });
});

test('of much that ends at once, a bounded part is announced at a time, and the rest next', () => {
  withKey(addMs(START, 20 * DAY_MS));
  for (let index = 0; index < NOTICES_AT_ONCE; index += 1) createKey(acting(), { account: 'A', name: `${index}` });
  const passes = [1, 2, 3].map(() => takeNotices(books[0], START));
  expect(passes.map(({ length }) => length)).toEqual([NOTICES_AT_ONCE + 1, 1, 0]);
});

test('announces ends 30, 7 and 1 days before, each once, and none of revoked keys', () => {
  withKey(addMs(START, 40 * DAY_MS));
  createKey(acting(), { account: 'A', name: 'revoked' });
  revokeKeys(acting(), { account: 'A', name: 'revoked', onlyOld: false });
  const noticesAfter = (days: number) => {
    now = addMs(START, days * DAY_MS);
    return takeNotices(books[0], now).map((notice) => /(key N|grant).*(in [^,]+),/.exec(notice)?.[2]);
  };
  expect(noticesAfter(9)).toEqual([]);
  expect(noticesAfter(10)).toEqual(['in 30 days', 'in 30 days']);
  expect(noticesAfter(32.5)).toEqual([]);
  expect(noticesAfter(33.5)).toEqual(['in 6 days', 'in 6 days']);
  expect(noticesAfter(39.5)).toEqual(['in less than a day', 'in less than a day']);
  expect(noticesAfter(39.9)).toEqual([]);
  expect(noticesAfter(40)).toEqual([]);
});
