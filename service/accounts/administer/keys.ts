import { addMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { type AccountRecord, type AccountRows, foldName, type KeyRecord } from '../account-book.ts';
import { keyDigest, latestExpiry, makeKeyText, shownStart } from '../api-key.ts';
import { type Acting, ActRefused, audit, requireAccount } from './accounts.ts';
import { isInForce } from './grants.ts';

/** The requested end of a key. An end given as a whole day may exceed the limit by less than a day. */
export interface KeyEnd {
  readonly at: UpstreamInstant;
  readonly wholeDay: boolean;
}

/** A new key with its secret, which is stored nowhere. */
export interface CreatedKey {
  readonly account: AccountRecord;
  readonly key: KeyRecord;
  readonly secret: string;
}

interface KeyName {
  readonly account: string;
  readonly name: string;
}

/** Makes a key for an account with a grant in force. Two usable keys of an account never share a name. */
export function createKey(acting: Acting, of: KeyName & { readonly expires?: KeyEnd | undefined }): CreatedKey {
  return acting.book.change((rows) => {
    const account = requireAccount(rows, of.account);
    const expiresAt = keyEnd(account, acting.now, of.expires);
    if (usable(rows, account, of.name, acting.now).length > 0) {
      throw new ActRefused(
        `${account.name} has a key ${of.name} that works: write another name, or key rotate to replace it.`,
      );
    }
    const created = issue(rows, acting, account, of.name, expiresAt);
    audit(rows, acting, 'key create', account.name, auditedKey(created.key));
    return created;
  });
}

export interface RotatedKey extends CreatedKey {
  readonly replaced: KeyRecord;
}

/** The old key works for `overlapMs` more, but not beyond its end. */
export function rotateKey(
  acting: Acting,
  of: KeyName & { readonly overlapMs: number; readonly expires?: KeyEnd | undefined },
): RotatedKey {
  return acting.book.change((rows) => {
    const account = requireAccount(rows, of.account);
    const expiresAt = keyEnd(account, acting.now, of.expires);
    const working = usable(rows, account, of.name, acting.now);
    const current = working.find(({ replacedAt }) => replacedAt === null);
    const replaced = working.find(({ replacedAt }) => replacedAt !== null);
    if (!current) throw new ActRefused(`${account.name} has no key ${of.name} that works: key create makes one.`);
    if (replaced) {
      throw new ActRefused(
        `The key ${of.name} was rotated at ${formatInstant(replaced.replacedAt as UpstreamInstant)}, and the one before works until ` +
          `${formatInstant(replaced.expiresAt)}: wait for that, or end it with key revoke --old.`,
      );
    }
    const end = addMs(acting.now, of.overlapMs);
    const old = {
      ...current,
      replacedAt: acting.now,
      expiresAt: end < current.expiresAt ? end : current.expiresAt,
    };
    rows.replaceKey(old);
    const created = issue(rows, acting, account, current.name, expiresAt);
    audit(rows, acting, 'key rotate', account.name, {
      ...auditedKey(created.key),
      replaces: current.startsWith,
      replaced_expires_at: formatInstant(old.expiresAt),
    });
    return { ...created, replaced: old };
  });
}

/** @param onlyOld ends only the key that a rotation replaced */
export function revokeKeys(
  acting: Acting,
  of: KeyName & { readonly onlyOld: boolean },
): { readonly account: AccountRecord; readonly revoked: readonly KeyRecord[] } {
  return acting.book.change((rows) => {
    const account = requireAccount(rows, of.account);
    const working = usable(rows, account, of.name, acting.now);
    const chosen = of.onlyOld ? working.filter(({ replacedAt }) => replacedAt !== null) : working;
    if (chosen.length === 0) {
      throw new ActRefused(
        `${account.name} has no ${of.onlyOld ? 'replaced key' : 'key'} ${of.name} that works: key list shows its keys.`,
      );
    }
    const revoked = chosen.map((key) => ({ ...key, revokedAt: acting.now }));
    for (const key of revoked) {
      rows.replaceKey(key);
      audit(rows, acting, 'key revoke', account.name, { key: key.name, starts_with: key.startsWith });
    }
    return { account, revoked };
  });
}

export function listKeys(
  { book }: Acting,
  name: string | undefined,
): readonly { readonly account: AccountRecord; readonly key: KeyRecord }[] {
  return book.read((rows) => {
    const accounts = name === undefined ? rows.accounts() : [requireAccount(rows, name)];
    const listed: { account: AccountRecord; key: KeyRecord }[] = [];
    for (const account of accounts) {
      for (const key of rows.keys(account.id)) listed.push({ account, key });
    }
    return listed;
  });
}

export function isUsable({ expiresAt, revokedAt }: KeyRecord, now: UpstreamInstant): boolean {
  return revokedAt === null && now < expiresAt;
}

function usable(rows: AccountRows, { id }: AccountRecord, name: string, now: UpstreamInstant) {
  const keys = rows.keys(id);
  return keys.filter((key) => foldName(key.name) === foldName(name) && isUsable(key, now));
}

/** A key ends with its grant, and after 365 days at most (Authentication). */
function keyEnd({ name, grant }: AccountRecord, now: UpstreamInstant, wanted: KeyEnd | undefined): UpstreamInstant {
  if (!isInForce(grant, now)) {
    throw new ActRefused(`${name} has no grant in force: grant approve comes before a key.`);
  }
  const latest = latestExpiry(now, { expiresAt: grant.until });
  if (wanted === undefined || wanted.at <= latest) return wanted?.at ?? latest;
  if (wanted.wholeDay && addMs(wanted.at, -DAY_MS) < latest) return latest;
  throw new ActRefused(
    `--expires ${formatInstant(wanted.at)} is too late: a key lives at most 365 days and no longer than its grant; write at most ` +
      `${formatInstant(latest)}, or leave it out for that.`,
  );
}

function issue(
  rows: AccountRows,
  { now }: Acting,
  account: AccountRecord,
  name: string,
  expiresAt: UpstreamInstant,
): CreatedKey {
  const secret = makeKeyText();
  const key = rows.addKey({
    accountId: account.id,
    name,
    digest: keyDigest(secret),
    startsWith: shownStart(secret),
    createdAt: now,
    expiresAt,
    revokedAt: null,
    replacedAt: null,
    noticedDays: null,
  });
  return { account, key, secret };
}

function auditedKey({ name, startsWith, expiresAt }: KeyRecord) {
  return { key: name, starts_with: startsWith, expires_at: formatInstant(expiresAt) };
}
