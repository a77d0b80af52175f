import { randomBytes } from 'node:crypto';
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { commandText } from '#lib/commands/command-text.ts';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { startNotices } from '../accounts/administer/expiry-notices.ts';
import { makeAccountsFile } from '../accounts/sqlite/accounts-file.ts';
import { openSqliteAccess } from '../accounts/sqlite/sqlite-access.ts';
import { openSqliteBook } from '../accounts/sqlite/sqlite-book.ts';
import { accountsFileIn, openDataDir } from '../data-dir/open-data-dir.ts';
import { startFailure } from '../data-dir/storage-failure.ts';
import { type ServiceOptions, startService } from '../server/start-service.ts';
import { machineClock, serviceNow } from '../service-now.ts';
import type { Source } from '../sources/observation.ts';
import { openSource } from '../sources/open-source.ts';
import { openServedReceivers, type ServedReceivers } from './open-served-receivers.ts';
import { userPath } from './read-arguments.ts';
import type { ServeOptions } from './read-serve-options.ts';

/**
 * How long one address of a name is tried before the next. Node's default of 250 ms fails every address behind a
 * satellite.
 */
const ADDRESS_MS = SECOND_MS;

/**
 * Opens the data directory, the receivers or the source, and the service over them, and closes them in reverse order.
 * Runs until SIGTERM or SIGINT, or, with `exitWithParent`, until standard input closes. Writes one line of JSON to
 * standard output when ready. Rejects if it can't start.
 */
export async function serve(options: ServeOptions): Promise<void> {
  setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MS);
  log(`Lookout ${LOOKOUT_VERSION}: the service starts`);
  const watch = watchClock();
  const path = options.dataDir === undefined ? undefined : userPath(options.dataDir);
  const explain = (failure: unknown) => {
    throw path === undefined ? failure : startFailure(path, failure);
  };
  const kept = path === undefined ? undefined : await openServiceData(path, options, log).catch(explain);
  const secret = kept?.referenceSecret ?? randomBytes(32);
  try {
    const receivers =
      options.receivers && (await openServedReceivers(options.receivers, kept, options, log, secret).catch(explain));
    try {
      await serveOver(options, receivers, { referenceSecret: secret, ...(kept?.served ?? callersOfOneKey(options)) });
    } finally {
      await receivers?.close();
    }
  } finally {
    await kept?.close();
    watch.close();
  }
}

interface ServiceData {
  readonly path: string;
  readonly referenceSecret: Uint8Array;
  readonly served: Partial<ServiceOptions>;
  close(): Promise<void>;
}

/**
 * Opens the data directory for the one service that runs over it, with its accounts, or with one key.
 * @throws Error that says what to do
 */
async function openServiceData(
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

function callersOfOneKey({
  allowance,
  isCounted,
  apiKey,
}: Pick<ServeOptions, 'allowance' | 'isCounted' | 'apiKey'>): Partial<ServiceOptions> {
  return { allowance, isCounted, ...(apiKey === undefined ? {} : { apiKey }) };
}

function watchClock() {
  const end = machineClock.onStep(({ ms, wallMs }) => {
    const by = `${ms < 0 ? 'back' : 'forward'} by ${(Math.abs(ms) / SECOND_MS).toFixed(1)} s`;
    log(`The clock of this machine was set ${by}, to ${new Date(wallMs).toISOString()}.`);
  });
  const timer = setInterval(serviceNow, SECOND_MS).unref();
  return {
    close() {
      clearInterval(timer);
      end();
    },
  };
}

async function serveOver(
  options: ServeOptions,
  received: ServedReceivers | undefined,
  callers: Partial<ServiceOptions>,
): Promise<void> {
  const { source: chosen } = options;
  const choice = chosen.kind === 'recording' ? { ...chosen, files: chosen.files.map(userPath) } : chosen;
  const source = received?.source ?? (await openSource(choice, serviceNow(), log));
  const service = await startService({
    source,
    host: options.host,
    port: options.port,
    prefix: options.prefix,
    control: options.control,
    log,
    ...callers,
  });

  const stopped = stopRequested(options.exitWithParent);
  const ready = {
    base_url: service.baseUrl,
    ...(callers.access === undefined ? { api_key: service.apiKey } : {}),
    ...(received?.pushUrl === undefined ? {} : { push_url: received.pushUrl }),
    ...(service.controlUrl === undefined ? {} : { control_url: service.controlUrl }),
  };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  if (options.announce) announceChanges(source);
  log(`stopping: ${await stopped}`);
  await service.close();
}

/** A computed source observes each track about once a second. */
const COMPUTED_EVERY_MS = SECOND_MS;

/** Writes a line for each change of a layer's picture. */
function announceChanges(source: Source): void {
  const announce = (layer: Layer) => process.stdout.write(`${layer}\n`);
  if (source.onChange) source.onChange(announce);
  else setInterval(() => LAYERS.forEach(announce), COMPUTED_EVERY_MS).unref();
}

/** Resolves with the reason. A second signal ends the process at once. */
function stopRequested(withParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
    if (!withParent) return;
    process.stdin.once('close', () => resolve('standard input closed'));
    process.stdin.once('error', () => resolve('standard input failed'));
    process.stdin.resume();
  });
}

function log(entry: string): void {
  process.stderr.write(`${entry}\n`);
}
