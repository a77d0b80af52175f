import 'server-only';
import { randomUUID } from 'node:crypto';
import { Coalesced } from '#lib/async/coalesced.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { counts } from '../../allowance/counts.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import type { Part } from '../../supervision/supervisor.ts';
import type { Cooldown, TimedCooldown } from '../../upstream/cooldown.ts';
import type { UpstreamClock } from '../../upstream/upstream-clock.ts';
import { causeId } from '../request-cause.ts';
import { type LayerPart, type PartOutcome, type PartSource, type PastPart, partColumns } from './history-part.ts';
import type { PartCache } from './part-cache.ts';
import {
  type AnsweredPart,
  GONE_MS,
  type NewWant,
  RENEW_EVERY_MS,
  readAnswer,
  type WantedParts,
} from './wanted-parts.ts';

/** A load waits so long without a writer or a database. */
const RETRY_AFTER_MS = SECOND_MS;

export interface PartsFromWriterOptions {
  readonly wanted: WantedParts;
  readonly cache: PartCache;
  readonly part: Part;
  readonly clock: UpstreamClock;
  readonly now: () => LocalInstant;
}

interface Wait {
  readonly part: LayerPart;
  readonly want: NewWant;
  isWritten: boolean;
  settle(outcome: PartOutcome): void;
  fail(error: unknown): void;
}

/** A reader's source of parts: the writer reads them. */
export class PartsFromWriter implements PartSource {
  readonly #options: PartsFromWriterOptions;
  readonly #waits = new Map<string, Wait>();
  readonly #blocked = new Map<Layer, TimedCooldown>();
  readonly #endListening: () => void;
  #timer: NodeJS.Timeout | undefined;
  readonly #polls = new Coalesced(() => this.#poll());
  #isClosed = false;
  readonly #underWay = new Set<Promise<boolean>>();
  #failingSinceMs: number | undefined;

  constructor(options: PartsFromWriterOptions) {
    this.#options = options;
    this.#endListening = options.wanted.onAnswered((id) => {
      if (id === undefined ? this.#waits.size > 0 : this.#waits.has(id)) this.#begin(() => this.#take(id));
    });
  }

  /** The writer deletes the rows that are left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endListening();
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
  }

  blocked(layer: Layer): Cooldown | undefined {
    const known = this.#blocked.get(layer);
    return known && this.#options.now() < known.until ? known : undefined;
  }

  async read(layer: Layer, part: PastPart, operator: string, signal: AbortSignal): Promise<PartOutcome> {
    signal.throwIfAborted();
    const id = randomUUID();
    const request_id = causeId() ?? null;
    const role = counts().roles.get(operator) ?? null;
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<PartOutcome>();
    const want = { id, ...partColumns(layer, part), operator, role, request_id };
    const wait = { part: { ...part, layer }, want, isWritten: false, settle, fail };
    this.#waits.set(id, wait);
    const leave = () => fail(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    this.#timer ??= setInterval(() => this.#begin(() => this.#polls.join()), RENEW_EVERY_MS).unref();
    this.#begin(() => this.#write([wait]));
    try {
      const outcome = await promise;
      counts().parts.shared++;
      return outcome;
    } catch (error) {
      this.#begin(() => this.#options.wanted.cancel([id]));
      throw error;
    } finally {
      signal.removeEventListener('abort', leave);
      this.#waits.delete(id);
      if (this.#waits.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  /** The next poll retries a failure. */
  #begin(run: () => Promise<void>): void {
    if (this.#isClosed) return;
    const work = this.#options.part.run(run);
    this.#underWay.add(work);
    // A `Part` never rejects.
    void work.finally(() => this.#underWay.delete(work));
  }

  async #write(waits: readonly Wait[]): Promise<void> {
    await this.#options.wanted.want(waits.map(({ want }) => want));
    for (const wait of waits) wait.isWritten = true;
    // Cancelled before its row was written.
    const left = waits.filter(({ want }) => !this.#waits.has(want.id)).map(({ want }) => want.id);
    if (left.length > 0) await this.#options.wanted.cancel(left);
  }

  /** Renews the rows, and finds missed answers. */
  async #poll(): Promise<void> {
    try {
      const written = [...this.#waits.values()].filter(({ isWritten }) => isWritten);
      const silentMs = await this.#options.wanted.renewWanted([...this.#waits.keys()]);
      // In this order: an answer replaces its row, so a part in neither table was lost.
      await this.#take();
      const lost = [...this.#waits.values()].filter(
        (wait) => !silentMs.has(wait.want.id) && (!wait.isWritten || written.includes(wait)),
      );
      if (lost.length > 0) await this.#write(lost);
      for (const [id, ms] of silentMs) if (ms > GONE_MS) this.#giveUp(id);
      this.#failingSinceMs = undefined;
    } catch (error) {
      this.#options.part.failed(error);
      if (!(error instanceof DatabaseFailure)) {
        for (const { fail } of this.#waits.values()) fail(error);
        return;
      }
      this.#failingSinceMs ??= performance.now();
      if (performance.now() - this.#failingSinceMs > GONE_MS) for (const id of this.#waits.keys()) this.#giveUp(id);
    }
  }

  async #take(id?: string): Promise<void> {
    for (const answer of await this.#options.wanted.takeAnswers(id)) this.#answered(answer);
  }

  #answered(answer: AnsweredPart): void {
    const wait = this.#waits.get(answer.id);
    if (!wait) return;
    const { cache, clock } = this.#options;
    try {
      const { outcome, isSettled } = readAnswer(answer, wait.part, clock);
      if (outcome.kind === 'part' && isSettled) cache.keep(outcome.part);
      if (outcome.kind === 'blocked') this.#block(wait.part.layer, outcome.cooldown);
      wait.settle(outcome);
    } catch (error) {
      wait.fail(error);
    }
  }

  #giveUp(id: string): void {
    const wait = this.#waits.get(id);
    if (!wait) return;
    const until = addMs(this.#options.now(), RETRY_AFTER_MS);
    const cooldown = { kind: 'timed', reason: 'database_lost', until } as const;
    this.#block(wait.part.layer, cooldown);
    wait.settle({ kind: 'blocked', cooldown, requests: 0 });
    if (wait.isWritten) this.#begin(() => this.#options.wanted.cancel([id]));
  }

  #block(layer: Layer, cooldown: Cooldown): void {
    if (cooldown.kind === 'timed') this.#blocked.set(layer, cooldown);
  }
}
