import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '#lib/text/error-message.ts';
import { isReadVersion, OtherVersion } from '#lib/version/file-version.ts';
import { makePrivateFile } from '../../data-dir/private-dir.ts';
import { storageFailure } from '../../data-dir/storage-failure.ts';
import { requireSafeSqlite } from './safe-sqlite.ts';

/** "LkAc": a file with another id holds no accounts. */
const APPLICATION_ID = 0x4c6b4163;
const SCHEMA_VERSION = 1;
const BUSY_TIMEOUT_MS = 5000;

const SCHEMA = `
  create table account (
    id integer primary key autoincrement,
    name text not null,
    folded_name text not null unique,
    created_at integer not null,
    per_minute integer not null check (per_minute > 0),
    per_day integer not null check (per_day > 0),
    email text,
    email_verified_at integer,
    email_code blob,
    email_code_until integer,
    grant_state text not null default 'none' check (grant_state in ('none', 'active', 'revoked')),
    grant_scopes text not null default '',
    grant_lookback_days integer not null default 1 check (grant_lookback_days between 1 and 30),
    grant_until integer,
    grant_decided_at integer,
    grant_company text,
    grant_purpose text,
    grant_noticed_days integer,
    request_scopes text,
    request_lookback_days integer check (request_lookback_days between 1 and 30),
    request_until integer,
    request_company text,
    request_purpose text,
    requested_at integer
  ) strict;
  create index account_grant_until on account (grant_until) where grant_until is not null;
  create table api_key (
    id integer primary key autoincrement,
    account integer not null references account on delete cascade,
    name text not null,
    folded_name text not null,
    digest blob not null unique check (length(digest) = 32),
    starts_with text not null,
    created_at integer not null,
    expires_at integer not null,
    revoked_at integer,
    replaced_at integer,
    last_used_at integer,
    noticed_days integer
  ) strict;
  create index api_key_account on api_key (account);
  create index api_key_expires_at on api_key (expires_at);
  create table spent (
    account integer not null references account on delete cascade,
    day integer not null,
    in_day integer not null,
    paid_in_day integer not null,
    minute integer not null,
    in_minute integer not null,
    primary key (account, day)
  ) strict, without rowid;
  create table audit (
    id integer primary key autoincrement,
    at integer not null,
    by text not null,
    act text not null,
    account text not null,
    folded_account text not null,
    details text not null
  ) strict;
  create index audit_account on audit (folded_account);
  create table machine (id integer primary key check (id = 1), boot_id text not null) strict;
  pragma application_id = ${APPLICATION_ID};
  pragma user_version = ${SCHEMA_VERSION};`;

/** A file of accounts that cannot be used. The message says what to do. */
class AccountsFileError extends Error {}

/**
 * @param whole reads the whole file for damage, about a second for 100,000 accounts
 * @throws AccountsFileError if there are none, or if the file cannot be used
 */
export function openAccountsFile(
  file: string,
  { whole, busyTimeoutMs = BUSY_TIMEOUT_MS }: { readonly whole: boolean; readonly busyTimeoutMs?: number | undefined },
): DatabaseSync {
  requireSafeSqlite(process.versions.sqlite);
  if (isMissing(file)) {
    refuseLogAlone(file);
    throw new AccountsFileError(`There are no accounts in ${file}: make the first with account add, or check --data.`);
  }
  let database: DatabaseSync | undefined;
  try {
    makePrivateFile(file);
    database = new DatabaseSync(file, { timeout: busyTimeoutMs });
    check(database, whole);
    database.exec('pragma journal_mode = wal; pragma synchronous = full');
    return database;
  } catch (error) {
    database?.close();
    throw explained(error, file);
  }
}

/**
 * Publishes the complete file, so that an empty or partial one is damage.
 * @returns whether there was none
 * @throws AccountsFileError
 */
export function makeAccountsFile(file: string): boolean {
  requireSafeSqlite(process.versions.sqlite);
  if (!isMissing(file)) return false;
  refuseLogAlone(file);
  const unfinished = `${file}.new-${randomUUID()}`;
  try {
    closeSync(openSync(unfinished, 'wx', 0o600));
    const database = new DatabaseSync(unfinished);
    try {
      database.exec(`pragma synchronous = full; begin; ${SCHEMA} commit; pragma journal_mode = wal`);
    } finally {
      database.close();
    }
    return publish(unfinished, file);
  } catch (error) {
    throw explained(error, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function isMissing(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    throw explained(error, file);
  }
}

/** Refuses a log without its file, since a new file would adopt it. */
function refuseLogAlone(file: string): void {
  // Another process may be making the file.
  if (!existsSync(`${file}-wal`) || existsSync(file)) return;
  throw new AccountsFileError(
    `${file} is missing, but its log ${file}-wal is there: restore both from a backup, or move the log away to begin without accounts.`,
  );
}

function publish(unfinished: string, file: string): boolean {
  try {
    linkSync(unfinished, file);
  } catch (error) {
    if (existsSync(file)) return false;
    // Not every file system has links.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    renameSync(unfinished, file);
  }
  return true;
}

/**
 * Copies the accounts in a consistent state.
 * @throws AccountsFileError
 */
export function copyAccountsFile(file: string, copy: string): void {
  const database = openAccountsFile(file, { whole: true });
  try {
    closeSync(openSync(copy, 'wx', 0o600));
    database.prepare('vacuum into ?').run(copy);
  } catch (error) {
    throw explained(error, copy);
  } finally {
    database.close();
  }
}

function check(database: DatabaseSync, whole: boolean): void {
  const { application_id } = database.prepare('pragma application_id').get() as { application_id: number };
  const { user_version } = database.prepare('pragma user_version').get() as { user_version: number };
  if (application_id !== APPLICATION_ID) throw new Damaged('it holds no accounts');
  if (!isReadVersion(user_version, SCHEMA_VERSION)) throw new Damaged(`it has no version, but ${user_version}`);
  if (!whole) return;
  const { quick_check } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
  // The first line only names the database.
  if (quick_check !== 'ok') throw new Damaged(quick_check.split('\n').at(-1));
}

class Damaged extends Error {}

export function explained(error: unknown, file: string): unknown {
  if (error instanceof AccountsFileError) return error;
  if (error instanceof OtherVersion) {
    const remedy = 'start that Lookout, or restore the directory from a backup that was made before it';
    return new AccountsFileError(error.text(file, remedy));
  }
  const message = errorMessage(error);
  switch (error instanceof Damaged ? 'damaged' : storageFailure(error)) {
    case 'damaged':
      return new AccountsFileError(
        `${file} is damaged: ${message}. Stop the service, keep the file, and restore the directory from a backup.`,
      );
    case 'full':
      return new AccountsFileError(`The disk of ${file} is full; nothing was changed.`, { cause: error });
    case 'in-use':
      return new AccountsFileError(`Another process is changing ${file}; nothing was changed. Try again.`);
    case 'denied':
      return new AccountsFileError(
        `${file} cannot be opened or written: ${message}. Let this user read and write the directory.`,
      );
    default:
      return error;
  }
}
