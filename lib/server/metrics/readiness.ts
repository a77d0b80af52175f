import 'server-only';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { Logger } from 'pino';
import type { MissingForReady, ReadyAnswer } from '#lib/api/operation/ready-answer.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import { DatabaseFailure, type StorageProblem, storageProblem } from '../database/database-failure.ts';
import type { PartFailure } from '../supervision/supervisor.ts';

const CHECKED_EVERY_MS = 2 * SECOND_MS;
const PROBE_BYTES = 4096;

export interface ReadinessOptions {
  readonly upstreamUrl: string;
  readonly dataDir: string;
  readonly isKeyRefused: () => boolean;
  readonly database: Pick<Database, 'failure' | 'check'>;
  /** The failing parts of this server alone: a reader serves operators while the writer fails. */
  readonly failing: () => readonly Pick<PartFailure, 'part' | 'reason'>[];
  readonly now: () => LocalInstant;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** Whether this server can serve operators, and what it lacks. A check costs no upstream request. */
export class Readiness {
  readonly #options: ReadinessOptions;
  /** After the first contact, operators should see an outage of the upstream instead of nothing. */
  #wasReached = false;
  #isLeaving = false;
  #storageProblem: StorageProblem | undefined;
  #latest: { readonly at: LocalInstant; readonly answer: Promise<ReadyAnswer> } | undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  leave(): void {
    this.#isLeaving = true;
    this.#latest = undefined;
  }

  read(): Promise<ReadyAnswer> {
    const now = this.#options.now();
    if (this.#latest && Math.abs(msBetween(this.#latest.at, now)) < CHECKED_EVERY_MS) return this.#latest.answer;
    this.#latest = { at: now, answer: this.#check() };
    return this.#latest.answer;
  }

  async #check(): Promise<ReadyAnswer> {
    const { upstreamUrl, isKeyRefused } = this.#options;
    const missing: MissingForReady[] = this.#isLeaving ? ['leaving'] : [];
    if (this.#options.database.failure?.kind === 'other-schema') missing.push('schema');
    if (!this.#isStorageWritten() || !(await this.#isDatabaseWritten())) missing.push('storage');
    if (isKeyRefused()) missing.push('key');
    this.#wasReached ||= await canReach(upstreamUrl);
    if (!this.#wasReached) missing.push('upstream');
    const failing = this.#options.failing().map(({ part, reason }) => ({ part, reason }));
    // A full disk is `storage`.
    if (failing.some(({ reason }) => reason !== 'database_full')) missing.push('part');
    return { ready: missing.length === 0, missing, failing };
  }

  #isStorageWritten(): boolean {
    const { dataDir, log } = this.#options;
    const before = this.#storageProblem;
    this.#storageProblem = undefined;
    try {
      writeProbe(join(dataDir, 'probe'));
    } catch (error) {
      const problem = storageProblem(error);
      if (problem === undefined) throw error;
      this.#storageProblem = problem;
      if (problem !== before) log.error({ problem, err: error }, 'DATA_DIR cannot be written');
    }
    if (before && !this.#storageProblem) log.warn('DATA_DIR can be written again');
    return this.#storageProblem === undefined;
  }

  /** Whether the database takes writes. Operators should see a lost database instead of nothing. */
  async #isDatabaseWritten(): Promise<boolean> {
    const { database } = this.#options;
    const kind = database.failure?.kind;
    if (kind === undefined || kind === 'lost' || kind === 'other-schema') return true;
    try {
      await database.check();
      return true;
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      return error.kind === 'lost';
    }
  }
}

function writeProbe(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(PROBE_BYTES), { mode: 0o600 });
  } finally {
    rmSync(path, { force: true });
  }
}

const REACH_WITHIN_MS = 3000;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** Connects to the upstream. It sends no request, which would cost allowance. */
export async function canReach(baseUrl: string): Promise<boolean> {
  try {
    (await connectTo(baseUrl)).destroy();
    return true;
  } catch {
    return false;
  }
}

/** Without a request, by TLS for https. Rejects with the error of the connection. The caller destroys the socket. */
export async function connectTo(baseUrl: string): Promise<Socket> {
  const { protocol, hostname, port } = new URL(baseUrl);
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const at = { host, port: Number(port) || (isTls ? HTTPS_PORT : HTTP_PORT) };
  const socket = isTls ? connectTls(isIP(host) ? at : { ...at, servername: host }) : connect(at);
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(REACH_WITHIN_MS) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    // Without a listener, a late error would end the process.
    socket.on('error', () => undefined);
  }
}
