import { argon2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Role } from '#lib/api/people/permission.ts';
import { createFront, type FrontLimits } from '#lib/front/front.ts';
import { startRuntime } from '#lib/server/compose.ts';
import { signInState } from '#lib/server/routes/sign-in-view.ts';
import { knownSession } from '#lib/server/routes/viewer.ts';
import type { Runtime } from '#lib/server/runtime.ts';
import { readConfig } from '#lib/server/settings/config.ts';
import { type ChangeOfOperators, changeOperators } from '#lib/server/sign-in/operators.ts';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { readServeOptions } from '#service/cli/read-serve-options.ts';
import type { FaultSetting } from '#service/faults/fault.ts';
import { type RunningService, startService } from '#service/server/start-service.ts';
import type { Source } from '#service/sources/observation.ts';
import { GET as answerPoll } from '../app/api/live/route.ts';
import { preparePlaces } from '../scripts/setup/prepare.ts';
import { withDatabase } from '../scripts/setup/with-database.ts';
import { cookieOf } from './api-requests.ts';
import { keptSource } from './kept-source.ts';
import { LASTING_REFERENCES } from './lasting-references.ts';
import { answerByRoute, kindOfAddress } from './route-handlers.ts';

export interface LookoutHereSetting {
  readonly service?: ServiceSetting;
  /** Without any, no sign-in is needed. */
  readonly operators?: readonly string[];
  /** By name, if other than operator. */
  readonly roles?: Readonly<Record<string, Role>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly limits?: Partial<FrontLimits>;
  /** Clocks of the app and of the service then go on by `moveClock` alone. */
  readonly isClockHeld?: boolean;
  /** For counts of a day: around midnight UTC, both clocks are ahead, and the day has begun a minute before. */
  readonly staysInDay?: boolean;
}

interface ServiceSetting {
  /** Of `npm run service`. */
  readonly options?: readonly string[];
  readonly apiKey?: string;
  /** Instead of the one of the options. */
  readonly source?: Source;
}

export interface HereOperator {
  readonly name: string;
  readonly password: string;
}

export type LookoutHere = Awaited<ReturnType<typeof startLookoutHere>>;

const holder = globalThis as { [key: symbol]: unknown };
const runtimeSymbol = Symbol.for('lookout.runtime');
const countsSymbol = Symbol.for('lookout.counts');

/** Of a file. */
const TEST_MAX_MS = 10 * MINUTE_MS;

/** In memory where the machine has such a folder: a sign-in waits for the disk several times. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const ROOT = join(import.meta.dirname, '..');
let placesReady: Promise<void> | undefined;

/**
 * The service, the runtime, the front and the routes of the app, in this process and without its pages. One at a time.
 * @throws Error that says which setting to correct
 */
export async function startLookoutHere(setting: LookoutHereSetting = {}) {
  if (holder[runtimeSymbol] !== undefined) throw new Error('this process already has a Lookout: stop it first');
  // Counted by earlier tests of this process.
  delete holder[countsSymbol];
  placesReady ??= preparePlaces(ROOT);
  await placesReady;
  const folder = mkdtempSync(join(FOLDER, 'lookout-here-'));
  let aheadMs = setting.staysInDay ? msPastMidnight() : 0;
  const held = setting.isClockHeld ? { monotonicMs: performance.now(), wallMs: Date.now() } : undefined;
  const clocks = {
    monotonicMs: () => (held?.monotonicMs ?? performance.now()) + aheadMs,
    wallMs: () => (held?.wallMs ?? Date.now()) + aheadMs,
  };
  const serviceLog: string[] = [];
  const service = await openService(setting.service, () => upstreamInstant(clocks.wallMs()), serviceLog);
  const { operators = [], roles = {} } = setting;
  const environment = {
    NODE_ENV: 'test' as const,
    ...(setting.settings?.POSITIONS_API_KEY_FILE === undefined && { POSITIONS_API_KEY: service.apiKey }),
    ...(operators.length === 0 && { POSITIONS_EMBEDDED: '1' }),
    POSITIONS_API_URL: service.baseUrl,
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '0',
    ...setting.settings,
  };
  const lines: string[] = [];
  const cleanUp = async () => {
    await service.close(0);
    rmSync(folder, { recursive: true });
    for (const symbol of [runtimeSymbol, countsSymbol]) delete holder[symbol];
  };
  try {
    const accounts = operators.map(newAccount);
    if (accounts.length > 0) await addTo(environment, accounts, roles);
    const read = readConfig(environment);
    if (!read.ok) throw new Error(read.problems.join('\n'));
    const { config } = read;
    const log = pino(
      { level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
      { write: (line: string) => void lines.push(line) },
    );
    const runtime = await startRuntime({
      config,
      log: { log, end: async () => undefined },
      clocks,
    });
    const server = frontOf(runtime, setting.limits);
    const host = setting.settings?.HOST ?? '127.0.0.1';
    server.listen(Number(setting.settings?.PORT ?? 0), host);
    await once(server, 'listening');
    await runtime.serveMetrics();
    const url = `http://${host}:${(server.address() as AddressInfo).port}`;
    const operator = (name: string) => {
      const found = accounts.find((account) => account.name === name);
      if (!found) throw new Error(`${name} is no operator`);
      return found;
    };
    return {
      url,
      runtime,
      service: serviceHere(service, serviceLog),
      operators: accounts,
      operator,
      /** The `Cookie` header of a new session. */
      signIn: (name: string) => cookieOf({ url }, operator(name)),
      dataDir: environment.DATA_DIR,
      /** As another process does, like the other changes of operators. */
      async addOperator(name: string) {
        const account = newAccount(name);
        await addTo(environment, [account], {});
        return account;
      },
      async changePassword(name: string) {
        const changed = newAccount(name);
        await changeOperatorsIn(environment, (known) =>
          known.map((entry) => (entry.name === name ? { ...entry, password: cheapHash(changed.password) } : entry)),
        );
        return changed;
      },
      removeOperator: (name: string) =>
        changeOperatorsIn(environment, (known) => known.filter((entry) => entry.name !== name)),
      /** Lines of the log of the app. */
      log: () => lines.join(''),
      /** Of the app and of the service, at once. */
      moveClock(ms: number) {
        aheadMs += ms;
      },
      async stop() {
        await runtime.leave();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await runtime.close();
        await cleanUp();
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

/** Lookout trusts the counts of a new day after some seconds. */
function msPastMidnight(): number {
  const ofDayMs = Date.now() % DAY_MS;
  return ofDayMs < MINUTE_MS || ofDayMs >= DAY_MS - TEST_MAX_MS ? TEST_MAX_MS + MINUTE_MS : 0;
}

/** A hash that costs next to nothing. */
function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const cost = { parallelism: 1, tagLength: 32, memory: 8, passes: 1 };
  const tag = argon2Sync('argon2id', { message: password, nonce: salt, ...cost });
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=8,t=1,p=1$${unpadded(salt)}$${unpadded(tag)}`;
}

function newAccount(name: string): HereOperator {
  return { name, password: randomBytes(18).toString('base64url') };
}

async function addTo(
  environment: NodeJS.ProcessEnv,
  accounts: readonly HereOperator[],
  roles: Readonly<Record<string, Role>>,
): Promise<void> {
  const entries = accounts.map(({ name, password }) => ({
    name,
    role: roles[name] ?? ('operator' as const),
    passkeys: [],
    password: cheapHash(password),
  }));
  await changeOperatorsIn(environment, (known) => [...known, ...entries]);
}

function changeOperatorsIn(environment: NodeJS.ProcessEnv, change: ChangeOfOperators): Promise<void> {
  return withDatabase(environment, (database) => changeOperators(database, change));
}

function frontOf({ config, log, counts }: Runtime, limits: Partial<FrontLimits> = {}) {
  return createFront({
    settings: config,
    dev: false,
    answer: answerByRoute,
    answerPoll,
    knownSession,
    signInState,
    kindOf: kindOfAddress,
    limits,
    onError: (error) => log.error({ err: error }, 'a request failed'),
    onRefused: ({ code }, requestId) => {
      log.debug({ request_id: requestId, code }, 'refused before it was read');
      counts.answers['4xx']++;
      counts.refusals[code]++;
    },
  });
}

async function openService(
  { options = [], apiKey, source: ownSource }: ServiceSetting = {},
  now: () => UpstreamInstant,
  log: string[],
): Promise<RunningService> {
  const read = readServeOptions(options, { SERVICE_API_KEY: apiKey });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { source, prefix, allowance, apiKey: key } = read.options;
  const keep = (entry: string) => void log.push(entry);
  return startService({
    source: ownSource ?? (await keptSource(source, keep)),
    prefix,
    allowance,
    now,
    log: keep,
    ...LASTING_REFERENCES,
    ...(key !== undefined && { apiKey: key }),
  });
}

function serviceHere(service: RunningService, log: readonly string[]) {
  const { baseUrl, apiKey, setFault, clearFault, clearRequests, requests } = service;
  return {
    baseUrl,
    apiKey,
    requests,
    mend: clearFault,
    forgetRequests: clearRequests,
    /** Clears the recorded requests: later ones meet the fault. */
    breakWith(fault: FaultSetting) {
      setFault(fault);
      clearRequests();
    },
    requestsFor: (operation: string) => requests().filter((request) => request.operation === operation),
    log: () => log.join('\n'),
  };
}
