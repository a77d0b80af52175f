import 'server-only';
import type { Logger } from 'pino';
import { type PartFailureReason, SUPERVISED_PARTS, type SupervisedPartName } from '#lib/api/operation/ready-answer.ts';
import { type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import { LeaseLost } from '../database/writer-lease.ts';

/** A part that fails at every second try is reported as failing. */
const REMEMBERED_MS = 30 * SECOND_MS;
/** A database that is busy for longer counts as a failure. */
const BUSY_MAX_MS = 10 * SECOND_MS;

/** `lost` is the outage of a shared database, which every server reports by itself. */
const REASONS: Readonly<Partial<Record<string, PartFailureReason>>> = {
  damaged: 'database_damaged',
  'other-schema': 'database_damaged',
  denied: 'database_denied',
  full: 'database_full',
  'in-use': 'database_busy',
};

export interface PartFailure {
  readonly part: SupervisedPartName;
  /** One of several works of the part, such as the id of a destination; `undefined`: the whole part. */
  readonly of: string | undefined;
  readonly since: LocalInstant;
  readonly reason: PartFailureReason;
}

/** A failing part of this server or of the writer. */
export interface KnownFailure extends Omit<PartFailure, 'since'> {
  readonly since: UpstreamInstant;
}

export interface SupervisorOptions {
  readonly now: () => LocalInstant;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Keeps the work that a server does without a request: an unexpected error is logged once, counted, and reported until
 * the work succeeds again. It never ends the work, which repeats by its own timer.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #parts = new Set<Part>();
  readonly #failures = new Map<SupervisedPartName, number>(SUPERVISED_PARTS.map((name) => [name, 0]));

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** @param of names one of several works of the part, such as the id of a destination */
  part(name: SupervisedPartName, of?: string): Part {
    const part = new Part(name, of, {
      ...this.#options,
      count: () => this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1),
      end: () => this.#parts.delete(part),
    });
    this.#parts.add(part);
    return part;
  }

  /** Work that has not succeeded since it failed. */
  get failing(): readonly PartFailure[] {
    return [...this.#parts].flatMap((part) => part.failure ?? []);
  }

  /** Parts that fail, or failed within the last 30 s, each once. */
  get recent(): readonly PartFailure[] {
    const all = [...this.#parts].flatMap((part) => part.recent ?? []);
    return SUPERVISED_PARTS.flatMap((name) => all.find(({ part }) => part === name) ?? []);
  }

  /** Unexpected errors since the start. */
  get failures(): ReadonlyMap<SupervisedPartName, number> {
    return this.#failures;
  }

  /** Seconds since a part last succeeded; those that rest, or never succeeded, are missing. */
  get doneSeconds(): ReadonlyMap<SupervisedPartName, number> {
    const ages = new Map<SupervisedPartName, number>();
    for (const { name, doneMs } of this.#parts) {
      if (doneMs === undefined) continue;
      ages.set(name, Math.max(ages.get(name) ?? 0, doneMs / SECOND_MS));
    }
    return ages;
  }
}

interface PartOptions extends SupervisorOptions {
  readonly count: () => void;
  readonly end: () => void;
}

interface Episode {
  readonly since: LocalInstant;
  readonly reason: PartFailureReason;
  failedAt: LocalInstant;
  hasWorked: boolean;
}

export class Part {
  readonly name: SupervisedPartName;
  readonly #of: string | undefined;
  readonly #options: PartOptions;
  #episode: Episode | undefined;
  #busySince: LocalInstant | undefined;
  #doneAt: LocalInstant | undefined;

  constructor(name: SupervisedPartName, of: string | undefined, options: PartOptions) {
    this.name = name;
    this.#of = of;
    this.#options = options;
  }

  /** Never rejects. @returns whether the work succeeded */
  async run(work: () => unknown): Promise<boolean> {
    try {
      await work();
    } catch (error) {
      this.failed(error);
      return false;
    }
    this.worked();
    return true;
  }

  worked(): void {
    this.#busySince = undefined;
    this.#doneAt = this.#options.now();
    if (this.#episode) this.#episode.hasWorked = true;
    this.#forget();
  }

  /** Ignores the loss of the lease or of a shared database, and a database that is busy for a moment. */
  failed(error: unknown): void {
    const reason = reasonOf(error);
    if (reason === undefined) return;
    const now = this.#options.now();
    if (reason === 'database_busy') {
      this.#busySince ??= now;
      if (msBetween(this.#busySince, now) < BUSY_MAX_MS) return;
    }
    this.#options.count();
    this.#forget();
    const before = this.#episode;
    if (before?.reason === reason) {
      before.failedAt = now;
      before.hasWorked = false;
      return;
    }
    this.#episode = { since: before?.since ?? now, reason, failedAt: now, hasWorked: false };
    this.#options.log.error({ part: this.name, of: this.#of, reason, err: error }, 'a part of the server fails');
  }

  /** Another server does the work. */
  rest(): void {
    this.#busySince = undefined;
    this.#doneAt = undefined;
    this.#episode = undefined;
  }

  /** Ends the part, since its work is over, such as that of a removed destination. */
  end(): void {
    this.#options.end();
  }

  /** The present failure, until the part succeeds. */
  get failure(): PartFailure | undefined {
    return this.#episode?.hasWorked === false ? this.#shown(this.#episode) : undefined;
  }

  get recent(): PartFailure | undefined {
    this.#forget();
    return this.#episode && this.#shown(this.#episode);
  }

  get doneMs(): number | undefined {
    return this.#doneAt === undefined ? undefined : msBetween(this.#doneAt, this.#options.now());
  }

  #shown({ since, reason }: Episode): PartFailure {
    return { part: this.name, of: this.#of, since, reason };
  }

  #forget(): void {
    const episode = this.#episode;
    if (!episode?.hasWorked || msBetween(episode.failedAt, this.#options.now()) < REMEMBERED_MS) return;
    this.#episode = undefined;
    this.#options.log.warn({ part: this.name, of: this.#of }, 'a part of the server works again');
  }
}

/** Why a part fails; `undefined`: it is reported elsewhere. */
function reasonOf(error: unknown): PartFailureReason | undefined {
  if (error instanceof LeaseLost) return undefined;
  if (!(error instanceof DatabaseFailure)) return 'defect';
  return error.kind === 'lost' ? undefined : (REASONS[error.kind] ?? 'defect');
}
