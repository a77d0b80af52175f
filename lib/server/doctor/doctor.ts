import 'server-only';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DoctorAnswer, Finding } from '#lib/api/operation/doctor-answer.ts';
import { readSeen } from '#lib/front/seen-request.ts';
import { epochMs, formatLocalInstant, type LocalInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { StatusReader } from '../live/status-reader.ts';
import type { Readiness } from '../metrics/readiness.ts';
import type { Config } from '../settings/config.ts';
import type { ReceiversReader } from '../upstream/receivers-reader.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { databaseAheadMs, databaseFindings, type ReadsDatabase, schemaFindings } from './database-checks.ts';
import { type Checks, examine, fine } from './examine.ts';
import { backupFindings, diskFindings, folderFindings, versionText } from './machine-checks.ts';
import {
  certificateFindings,
  clockFindings,
  proxyFindings,
  readyFindings,
  receiverFindings,
  upstreamFindings,
  upstreamHost,
} from './network-checks.ts';

/** Checks that need no running Lookout. */
export function checksOf(config: Config, reads: ReadsDatabase, nowMs: number): Checks {
  const { dataDir, database, publicOrigin, upstream, receiversSocket } = config;
  const isReal = !upstream.embedded || receiversSocket !== undefined;
  return {
    folder: () => folderFindings(dataDir),
    disk: () => diskFindings(dataDir),
    database: () => databaseFindings(database, reads),
    schema: () => schemaFindings(database, reads),
    backup: () => backupFindings(dataDir, nowMs, isReal),
    certificate: () => certificateFindings(publicOrigin, nowMs),
    versions: () => [fine(versionText())],
  };
}

/** @param aheadMs of the upstream's clock; `undefined`: it did not answer yet */
export async function otherClocks(config: Config, reads: ReadsDatabase, aheadMs: number | undefined) {
  const host = upstreamHost(config);
  // The embedded service has the clock of this machine.
  return { ...(host !== undefined && { [host]: aheadMs }), PostgreSQL: await databaseAheadMs(config.database, reads) };
}

export interface DoctorSources {
  readonly config: Config;
  readonly database: Pick<Database, 'query'>;
  readonly readiness: Pick<Readiness, 'read'>;
  readonly status: Pick<StatusReader, 'read'>;
  readonly clock: Pick<UpstreamClock, 'aheadMs'>;
  /** `undefined` without own receivers. */
  readonly receivers: Pick<ReceiversReader, 'read'> | undefined;
  readonly wallNow: () => LocalInstant;
  readonly monotonicMs: () => number;
  readonly log: Pick<Logger, 'error'>;
}

/** Examinations are shared for so long. */
const KEPT_MS = 10 * SECOND_MS;

/** Examines the running Lookout, one examination at a time. It sends no request to the upstream. */
export class Doctor {
  readonly #sources: DoctorSources;
  #latest:
    | { readonly ms: number; readonly at: LocalInstant; readonly findings: Promise<readonly Finding[]> }
    | undefined;

  constructor(sources: DoctorSources) {
    this.#sources = sources;
  }

  /** @param headers of a request, which show the way from its sender to Lookout */
  async read(headers: Headers): Promise<DoctorAnswer> {
    const { config, monotonicMs, wallNow } = this.#sources;
    const ms = monotonicMs();
    if (!this.#latest || ms - this.#latest.ms >= KEPT_MS) {
      const at = wallNow();
      this.#latest = { ms, at, findings: this.#examine(epochMs(at)) };
    }
    const { at, findings } = this.#latest;
    const seen = readSeen(headers);
    const proxy = seen ? proxyFindings(seen, config) : [];
    return {
      as_of: formatLocalInstant(at),
      findings: [...(await findings), ...proxy.map((said) => ({ check: 'proxy' as const, ...said }))],
    };
  }

  #examine(nowMs: number): Promise<readonly Finding[]> {
    const { config, database, readiness, status, clock, receivers, log } = this.#sources;
    const reads: ReadsDatabase = (read) => read(database.query as unknown as Kysely<unknown>);
    return examine(
      {
        ...checksOf(config, reads, nowMs),
        settings: () => [fine('Lookout checked them at its start; a change takes a restart')],
        server: async () => readyFindings(await readiness.read(), config.publicOrigin),
        upstream: async () => upstreamFindings(await status.read(), upstreamHost(config)),
        clock: async () => clockFindings(await otherClocks(config, reads, clock.aheadMs)),
        receivers: async () => receiverFindings(await receivers?.read()),
      },
      (error) => log.error({ err: error }, 'a check of the doctor failed'),
    );
  }
}

/** Longer than a command takes, and than two clocks of one machine differ. */
const PROOF_MS = 60 * SECOND_MS;

/** `Authorization` of a command that can read the secret of sessions, and so all that an admin sees. */
export function doctorProof(secret: string, atMs: number): string {
  return `Lookout-Doctor ${atMs}.${createHmac('sha256', secret).update(`lookout doctor ${atMs}`).digest('hex')}`;
}

export function isDoctorProof(header: string | null, secret: string, nowMs: number): boolean {
  const at = Number(/^Lookout-Doctor ([1-9]\d{12})\.[0-9a-f]{64}$/.exec(header ?? '')?.[1]);
  if (header === null || !(Math.abs(at - nowMs) <= PROOF_MS)) return false;
  return timingSafeEqual(Buffer.from(header), Buffer.from(doctorProof(secret, at)));
}
