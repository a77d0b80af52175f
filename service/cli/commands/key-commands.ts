import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { KeyRecord } from '../../accounts/account-book.ts';
import { dueNotice, timeLeftText } from '../../accounts/administer/expiry-notices.ts';
import {
  type CreatedKey,
  createKey,
  isUsable,
  listKeys,
  revokeKeys,
  rotateKey,
} from '../../accounts/administer/keys.ts';
import { endDateForm, nameForm, overlapForm } from '../read-arguments.ts';
import { type Command, known, tableLines, timeText } from './command.ts';

const OVERLAP_DEFAULT_MS = DAY_MS;
const UNUSED_MS = 30 * DAY_MS;

const ofKey = { account: { type: 'string' }, name: { type: 'string' } } as const;

const create: Command = {
  operand: '',
  options: { ...ofKey, expires: { type: 'string' } },
  read(given, now) {
    const account = given.required('account', nameForm);
    const name = given.required('name', nameForm);
    const expires = given.value('expires', endDateForm(now));
    return (acting) => {
      const created = createKey(acting, { account: known(account), name: known(name), expires });
      return { json: createdJson(created), lines: createdLines(created) };
    };
  },
};

const rotate: Command = {
  operand: '',
  options: { ...ofKey, overlap: { type: 'string' }, expires: { type: 'string' } },
  read(given, now) {
    const account = given.required('account', nameForm);
    const name = given.required('name', nameForm);
    const overlapMs = given.value('overlap', overlapForm) ?? OVERLAP_DEFAULT_MS;
    const expires = given.value('expires', endDateForm(now));
    return (acting) => {
      const rotated = rotateKey(acting, { account: known(account), name: known(name), overlapMs, expires });
      const { startsWith, expiresAt } = rotated.replaced;
      return {
        json: {
          ...createdJson(rotated),
          replaced: { starts_with: startsWith, expires_at: timeText(expiresAt) },
        },
        lines: [
          ...createdLines(rotated),
          `The key that it replaces, ${startsWith}…, works until ${timeText(expiresAt)}.`,
        ],
      };
    };
  },
};

const revoke: Command = {
  operand: '',
  options: { ...ofKey, old: { type: 'boolean' } },
  read(given) {
    const account = given.required('account', nameForm);
    const name = given.required('name', nameForm);
    const onlyOld = given.flag('old');
    return (acting) => {
      const { account: of, revoked } = revokeKeys(acting, {
        account: known(account),
        name: known(name),
        onlyOld,
      });
      return {
        json: { account: of.name, revoked: revoked.map((key) => keyJson(of.name, key, acting.now)) },
        lines: revoked.map(({ name, startsWith }) => `The key ${name} of ${of.name}, ${startsWith}…, is revoked.`),
      };
    };
  },
};

const list: Command = {
  operand: '',
  options: { account: { type: 'string' } },
  read(given) {
    const account = given.value('account', nameForm);
    return (acting) => {
      const { now } = acting;
      const listed = listKeys(acting, account);
      return {
        json: { keys: listed.map(({ account: { name }, key }) => keyJson(name, key, now)) },
        lines:
          listed.length === 0
            ? ['There are no keys: key create makes one.']
            : tableLines(
                ['account', 'key', 'starts with', 'made', 'ends', 'last used', ''],
                listed.map(({ account: { name }, key }) => keyRow(name, key, now)),
              ),
      };
    };
  },
};

/**
 * The commands `key create`, `list`, `rotate` and `revoke`. The command that makes a key prints it, once: no other shows
 * more than its start.
 */
export const keyCommands: Readonly<Record<string, Command>> = { create, list, rotate, revoke };

function createdJson({ account, key, secret }: CreatedKey) {
  return {
    api_key: secret,
    account: account.name,
    name: key.name,
    starts_with: key.startsWith,
    created_at: timeText(key.createdAt),
    expires_at: timeText(key.expiresAt),
  };
}

function createdLines({ account, key, secret }: CreatedKey): string[] {
  return [
    `The key ${key.name} of ${account.name}, shown this once:`,
    `    ${secret}`,
    `It works until ${timeText(key.expiresAt)}, for servers only: never put it in a URL, a page or a repository.`,
  ];
}

function keyJson(account: string, key: KeyRecord, now: UpstreamInstant) {
  return {
    account,
    name: key.name,
    starts_with: key.startsWith,
    state: stateOf(key, now),
    created_at: timeText(key.createdAt),
    expires_at: timeText(key.expiresAt),
    revoked_at: timeText(key.revokedAt),
    replaced_at: timeText(key.replacedAt),
    last_used_at: timeText(key.lastUsedAt),
    /** The days of the due notice: 30, 7 or 1, where the key ends within as many days. */
    notice_days: isUsable(key, now) ? (dueNotice(key.expiresAt, now) ?? null) : null,
  };
}

function stateOf(key: KeyRecord, now: UpstreamInstant): 'active' | 'replaced' | 'expired' | 'revoked' {
  if (key.revokedAt !== null) return 'revoked';
  if (now >= key.expiresAt) return 'expired';
  return key.replacedAt === null ? 'active' : 'replaced';
}

function keyRow(account: string, key: KeyRecord, now: UpstreamInstant): readonly string[] {
  const state = stateOf(key, now);
  const works = state === 'active' || state === 'replaced';
  const remarks = [
    ...(state === 'active' ? [] : [state]),
    ...(works && dueNotice(key.expiresAt, now) !== undefined ? [`ends ${timeLeftText(key.expiresAt, now)}`] : []),
    ...(works && (key.lastUsedAt ?? key.createdAt) < addMs(now, -UNUSED_MS) ? ['unused for 30 days'] : []),
  ];
  return [
    account,
    key.name,
    key.startsWith,
    timeText(key.createdAt) ?? '',
    timeText(key.revokedAt ?? key.expiresAt) ?? '',
    timeText(key.lastUsedAt) ?? 'never',
    remarks.join(', '),
  ];
}
