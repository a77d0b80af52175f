import { startNotices } from '../accounts/administer/expiry-notices.ts';
import type { Access } from '../accounts/ports/access.ts';
import type { AccountBook } from '../accounts/ports/account-book.ts';
import { postgresAccess } from '../accounts/postgres/postgres-access.ts';
import { postgresBook } from '../accounts/postgres/postgres-book.ts';
import { makeAccountsFile } from '../accounts/sqlite/accounts-file.ts';
import { openSqliteAccess } from '../accounts/sqlite/sqlite-access.ts';
import { openSqliteBook } from '../accounts/sqlite/sqlite-book.ts';
import { accountsFileIn, type DataDir, openDataDir, referenceSecretFileIn } from '../data-dir/open-data-dir.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import type { Postgres } from '../postgres/postgres.ts';
import type { PostgresTarget } from '../postgres/postgres-target.ts';
import { requireSameSecret } from '../postgres/same-secret.ts';
import type { ServiceOptions } from '../server/start-service.ts';
import { serviceNow } from '../service-now.ts';
import type { ServeOptions } from './read-serve-options.ts';

/** What outlives a service, and what it is served with. */
export interface Kept {
  /** Of the data directory. */
  readonly path: string;
  readonly referenceSecret: Uint8Array;
  readonly served: Partial<ServiceOptions>;
  /** Of --store. */
  readonly postgres: Postgres | undefined;
  close(): Promise<void>;
}

/**
 * Opens the data directory for the one service that runs over it, and makes what is missing in it.
 * @throws Error that says what to do
 */
export async function openKept(
  path: string,
  {
    store,
    proxies,
    apiKey,
    oneKey,
    allowance,
    isCounted,
  }: Pick<ServeOptions, 'store' | 'proxies' | 'apiKey' | 'oneKey' | 'allowance' | 'isCounted'>,
  log: (entry: string) => void,
): Promise<Kept> {
  if (apiKey !== undefined && !oneKey) log('SERVICE_API_KEY is not used with --data: keys are made with key create.');
  process.umask(0o077);
  // What was opened last is closed first.
  const closing: Closing = [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const dataDir = openDataDir(path);
    closing.push(dataDir.release);
    const { referenceSecret } = dataDir;
    const always = { referenceSecret, ...(proxies === undefined ? {} : { proxies }) };
    if (oneKey) {
      const served = { ...always, ...callersOfOneKey({ allowance, isCounted, apiKey }) };
      return { path, referenceSecret, served, postgres: undefined, close };
    }
    const postgres = store && (await openShared(store, dataDir, log, closing));
    const { access, book } = postgres
      ? { access: postgresAccess(postgres), book: postgresBook(postgres) }
      : openFile(path, log, closing);
    closing.push(startNotices(book, serviceNow, log));
    return { path, referenceSecret, served: { ...always, access }, postgres, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One account of full access, whose key is made at the start or given. */
export function callersOfOneKey({
  allowance,
  isCounted,
  apiKey,
}: Pick<ServeOptions, 'allowance' | 'isCounted' | 'apiKey'>): Partial<ServiceOptions> {
  return { allowance, isCounted, ...(apiKey === undefined ? {} : { apiKey }) };
}

type Closing = (() => void | Promise<void>)[];

/** What a service needs of accounts, wherever they are. */
interface Accounts {
  readonly access: Access;
  readonly book: AccountBook;
}

function openFile(path: string, log: (entry: string) => void, closing: Closing): Accounts {
  const file = accountsFileIn(path);
  if (makeAccountsFile(file)) {
    log(`There are no accounts in ${path} yet: account add makes one, also while the service runs.`);
  }
  const access = openSqliteAccess(file, { now: serviceNow, log });
  closing.push(access.close);
  const book = openSqliteBook(file, { whole: false });
  closing.push(book.close);
  return { access, book };
}

async function openShared(
  store: PostgresTarget,
  { path, referenceSecret }: DataDir,
  log: (entry: string) => void,
  closing: Closing,
): Promise<Postgres> {
  const postgres = await openPostgres(store, { makes: true, log });
  closing.push(() => postgres.close());
  await requireSameSecret(postgres, referenceSecret, referenceSecretFileIn(path));
  return postgres;
}
