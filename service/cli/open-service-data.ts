import { commandText } from '#lib/commands/command-text.ts';
import { startNotices } from '../accounts/administer/expiry-notices.ts';
import { makeAccountsFile } from '../accounts/sqlite/accounts-file.ts';
import { openSqliteAccess } from '../accounts/sqlite/sqlite-access.ts';
import { openSqliteBook } from '../accounts/sqlite/sqlite-book.ts';
import { accountsFileIn, openDataDir } from '../data-dir/open-data-dir.ts';
import type { ServiceOptions } from '../server/start-service.ts';
import { serviceNow } from '../service-now.ts';
import type { ServeOptions } from './read-serve-options.ts';

export interface ServiceData {
  readonly path: string;
  readonly referenceSecret: Uint8Array;
  readonly served: Partial<ServiceOptions>;
  close(): Promise<void>;
}

/**
 * For the one service that runs over it.
 * @throws Error that says what to do
 */
export async function openServiceData(
  path: string,
  {
    proxies,
    apiKey,
    oneKey,
    allowance,
    isCounted,
  }: Pick<ServeOptions, 'proxies' | 'apiKey' | 'oneKey' | 'allowance' | 'isCounted'>,
  log: (entry: string) => void,
): Promise<ServiceData> {
  if (apiKey !== undefined && !oneKey) log('SERVICE_API_KEY is not used with --data: keys are made with key create.');
  process.umask(0o077);
  const closing: (() => void | Promise<void>)[] = [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const { referenceSecret, release } = openDataDir(path);
    closing.push(release);
    const always = { referenceSecret, ...(proxies === undefined ? {} : { proxies }) };
    if (oneKey) {
      const served = { ...always, ...callersOfOneKey({ allowance, isCounted, apiKey }) };
      return { path, referenceSecret, served, close };
    }
    const file = accountsFileIn(path);
    if (makeAccountsFile(file)) {
      log(
        `There are no accounts in ${path} yet: ${commandText('service', 'account add')} makes one, also while the service runs.`,
      );
    }
    const access = openSqliteAccess(file, { now: serviceNow, log });
    closing.push(access.close);
    const book = openSqliteBook(file, { whole: false });
    closing.push(book.close, startNotices(book, serviceNow, log));
    return { path, referenceSecret, served: { ...always, access }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export function callersOfOneKey({
  allowance,
  isCounted,
  apiKey,
}: Pick<ServeOptions, 'allowance' | 'isCounted' | 'apiKey'>): Partial<ServiceOptions> {
  return { allowance, isCounted, ...(apiKey === undefined ? {} : { apiKey }) };
}
