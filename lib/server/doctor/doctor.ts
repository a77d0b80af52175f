import 'server-only';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { ApiError } from '#lib/api/error-code.ts';
import type { DoctorAnswer, Finding } from '#lib/api/operation/doctor-answer.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import { readSeen } from '#lib/front/seen-request.ts';
import { epochMs, formatLocalInstant, type LocalInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { StatusReader } from '../live/status-reader.ts';
import { withinMs } from '../machine.ts';
import type { Readiness } from '../metrics/readiness.ts';
import type { Config } from '../settings/config.ts';
import type { ReceiversReader } from '../upstream/receivers-reader.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { databaseAheadMs, databaseFindings, type ReadsDatabase, schemaFindings } from './database-checks.ts';
import { type Checks, examine, fine } from './examine.ts';
import { backupFindings, diskFindings, folderFindings, type LatestBackup, versionFindings } from './machine-checks.ts';
import {
  type ClockSample,
  certificateFindings,
  clockFindings,
  proxyFindings,
  readyFindings,
  receiverFindings,
  upstreamFindings,
  upstreamHost,
} from './network-checks.ts';

interface Examined {
  readonly config: Config;
  readonly reads: ReadsDatabase;
  readonly nowMs: number;
  /** Of the Lookout that answers; `undefined` where none does. */
  readonly running: string | undefined;
  readonly problemsOf?: LatestBackup['problemsOf'];
}

/** Checks that need no running Lookout. */
export function checksOf({ config, reads, nowMs, running, problemsOf }: Examined): Checks {
  const { dataDir, database, publicOrigin, upstream, receiversSocket } = config;
  const isNeeded = !upstream.embedded || receiversSocket !== undefined;
  const kind = database.dialect === 'sqlite' ? `SQLite ${process.versions.sqlite}` : 'PostgreSQL';
  return {
    folder: () => folderFindings(dataDir),
    disk: () => diskFindings(dataDir, { nowMs }),
    database: () => databaseFindings(database, reads),
    schema: () => schemaFindings(database, reads),
    backup: () => backupFindings(dataDir, { nowMs, isNeeded, ...(problemsOf && { problemsOf }) }),
    certificate: () => certificateFindings(publicOrigin, nowMs),
    versions: () => versionFindings({ running, database: kind }),
  };
}

/** @param aheadMs of the upstream's clock; `undefined`: it did not answer yet */
export async function clockSamples(
  config: Config,
  reads: ReadsDatabase,
  aheadMs: number | undefined,
): Promise<readonly ClockSample[]> {
  const host = upstreamHost(config);
  const database = await databaseAheadMs(config.database, reads);
  return [
    // The embedded service has the clock of this machine.
    ...(aheadMs === undefined || host === undefined ? [] : [{ of: host, aheadMs }]),
    ...(database === undefined ? [] : [{ of: 'PostgreSQL', aheadMs: database }]),
  ];
}

export interface DoctorSources {
  readonly config: Config;
  readonly database: Pick<Database, 'query'>;
  readonly readiness: Pick<Readiness, 'read'>;
  readonly status: Pick<StatusReader, 'read'>;
  readonly clock: Pick<UpstreamClock, 'aheadMs'>;
  /** `undefined` without own receivers. */
  readonly receivers: Pick<ReceiversReader, 'read'> | undefined;
  /** Sends one request to the upstream; `undefined` on a server that sends none. */
  readonly askUpstream: () => (() => Promise<unknown>) | undefined;
  readonly version: string;
  readonly wallNow: () => LocalInstant;
  readonly monotonicMs: () => number;
  readonly log: Pick<Logger, 'error'>;
}

/** Examinations are shared for so long. */
const KEPT_MS = 10 * SECOND_MS;
const ASKED_EVERY_MS = MINUTE_MS;
/** With the checks after it, an answer takes less than 10 s. A later answer of the upstream shows in the next one. */
const ASKED_MS = 3 * SECOND_MS;

/** Examines the running Lookout for admins, one examination at a time. It asks the upstream only when told to. */
export class Doctor {
  readonly #sources: DoctorSources;
  readonly #runs = new Coalesced(() => this.#examine());
  #latest: { readonly atMs: number; readonly at: string; readonly findings: readonly Finding[] } | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(sources: DoctorSources) {
    this.#sources = sources;
  }

  /** @param headers of the request of the admin, which shows the way to Lookout */
  async read(headers: Headers): Promise<DoctorAnswer> {
    const { config, monotonicMs, status, askUpstream, log } = this.#sources;
    if (!this.#latest || monotonicMs() - this.#latest.atMs >= KEPT_MS) await this.#runs.join();
    const seen = readSeen(headers);
    const proxy = await examine({ proxy: () => (seen ? proxyFindings(seen, config) : []) }, (error) =>
      log.error({ err: error }, 'a check of the doctor failed'),
    );
    const { at, findings } = this.#latest!;
    const [versions, others] = [true, false].map((isLast) =>
      findings.filter(({ check }) => (check === 'versions') === isLast),
    );
    const { has_allowance } = await status.read();
    return {
      as_of: at,
      findings: [...others!, ...proxy, ...versions!],
      price: askUpstream() === undefined ? null : has_allowance ? 1 : 0,
    };
  }

  /**
   * Sends one request that counts.
   * @returns milliseconds to wait; 0 where it was sent
   * @throws ApiError on a server that sends none
   */
  async ask(): Promise<number> {
    const { askUpstream, monotonicMs } = this.#sources;
    const send = askUpstream();
    if (!send) throw new ApiError('not_possible', 'Another server sends the requests: the Allowance panel names it.');
    const waitMs = this.#askedMs + ASKED_EVERY_MS - monotonicMs();
    if (waitMs > 0) return waitMs;
    this.#askedMs = monotonicMs();
    await withinMs(send(), ASKED_MS);
    this.#latest = undefined;
    return 0;
  }

  async #examine(): Promise<void> {
    const { config, database, readiness, status, clock, receivers, version, wallNow, monotonicMs, log } = this.#sources;
    const at = wallNow();
    const reads: ReadsDatabase = (read) => read(database.query as unknown as Kysely<unknown>);
    const findings = await examine(
      {
        ...checksOf({ config, reads, nowMs: epochMs(at), running: version }),
        settings: () => [fine('Lookout checked them at its start; a change takes a restart')],
        server: async () => readyFindings(await readiness.read(), config.publicOrigin),
        upstream: async () => upstreamFindings(await status.read(), upstreamHost(config)),
        clock: async () => clockFindings(await clockSamples(config, reads, clock.aheadMs)),
        receivers: async () => receiverFindings(await receivers?.read()),
      },
      (error) => log.error({ err: error }, 'a check of the doctor failed'),
    );
    this.#latest = { atMs: monotonicMs(), at: formatLocalInstant(at), findings };
  }
}
