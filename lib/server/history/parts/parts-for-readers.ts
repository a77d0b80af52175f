import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ROLES } from '#lib/api/people/permission.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import type { Layer } from '#lib/model/position.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { spendsAs } from '../../allowance/counts.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import type { WriterLease } from '../../database/writer-lease.ts';
import type { Part } from '../../supervision/supervisor.ts';
import type { UpstreamClock } from '../../upstream/upstream-clock.ts';
import { asCause } from '../request-cause.ts';
import { type PartOutcome, type PastPart, partOfColumns } from './history-part.ts';
import type { PartCache } from './part-cache.ts';
import {
  FAILED,
  type PartAnswer,
  RENEW_EVERY_MS,
  type WantedPart,
  type WantedParts,
  writeAnswer,
} from './wanted-parts.ts';

const ANSWER_AGAIN_AFTER_MS = SECOND_MS / 4;

export interface PartsForReadersOptions {
  readonly wanted: WantedParts;
  readonly lease: WriterLease;
  readonly clock: UpstreamClock;
  readonly cache: PartCache;
  readonly part: Part;
  readonly log: Pick<Logger, 'error'>;
  readonly read: (layer: Layer, part: PastPart, operator: string, signal: AbortSignal) => Promise<PartOutcome>;
}

/** Reads on the writer what readers want, with the parts that an earlier writer left. */
export class PartsForReaders {
  readonly #options: PartsForReadersOptions;
  readonly #running = new Map<string, AbortController>();
  readonly #ends: readonly (() => void)[];
  #timer: NodeJS.Timeout | undefined;
  readonly #polls = new Coalesced(() => this.#poll());
  #isClosed = false;

  constructor(options: PartsForReadersOptions) {
    this.#options = options;
    // Polls never reject, here and below: the supervised part reports a failure.
    const poll = () => void this.#polls.run();
    this.#ends = [options.wanted.onWanted(poll), options.lease.onChange(poll)];
    poll();
  }

  /** The next writer continues. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#ends) end();
    clearInterval(this.#timer);
    for (const abort of this.#running.values()) abort.abort();
    await this.#polls.idle();
  }

  get #isWriter(): boolean {
    return this.#options.lease.fence !== undefined && !this.#isClosed;
  }

  async #poll(): Promise<void> {
    if (!this.#isWriter) return;
    const isDone = await this.#options.part.run(async () => {
      const wanted = await this.#options.wanted.wanted([...this.#running.keys()]);
      if (!this.#isWriter) return;
      const ids = new Set(wanted.map(({ id }) => id));
      for (const [id, abort] of this.#running) if (!ids.has(id)) abort.abort();
      // It never rejects: each of its steps handles its own failure.
      for (const row of wanted) if (!this.#running.has(row.id)) void this.#serve(row);
      this.#renewWhileRunning();
    });
    // Polls again after missed notices, and every second while parts are being read.
    if (!isDone) this.#renewWhileRunning();
  }

  #renewWhileRunning(): void {
    if (this.#running.size === 0 || this.#isClosed) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else
      this.#timer ??= setInterval(() => {
        void this.#polls.run();
        void this.#options.part.run(() => this.#options.wanted.forgetAnswers());
      }, RENEW_EVERY_MS).unref();
  }

  async #serve(row: WantedPart): Promise<void> {
    const abort = new AbortController();
    this.#running.set(row.id, abort);
    try {
      const answer = await this.#answerTo(row, abort.signal);
      if (answer) await this.#answer(row, answer, abort.signal);
    } finally {
      this.#running.delete(row.id);
      if (this.#running.size === 0) this.#renewWhileRunning();
    }
  }

  /** `undefined` where the reader has left, or this is not the writer. */
  async #answerTo(row: WantedPart, signal: AbortSignal): Promise<PartAnswer | undefined> {
    const { read, clock, cache, log } = this.#options;
    const { operator, role, request_id } = row;
    const part = partOfColumns(row);
    if (!part) return FAILED;
    const known = ROLES.find((each) => each === role);
    if (known) spendsAs(operator, known);
    const begin = () => read(part.layer, part, operator, signal);
    try {
      const outcome = await (request_id === null ? begin() : asCause(request_id, begin));
      if (outcome.kind === 'blocked' && !this.#isWriter) return undefined;
      return writeAnswer(outcome, cache.has(part.layer, part), clock);
    } catch (error) {
      if (signal.aborted) return undefined;
      log.error({ err: error }, 'a part of the past cannot be read for another server');
      return FAILED;
    }
  }

  /** Writes an answer, and retries until it is written: the answer was paid for. */
  async #answer(row: WantedPart, answer: PartAnswer, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) return;
      try {
        await this.#options.wanted.answer(row, answer);
        return;
      } catch (error) {
        this.#options.part.failed(error);
        if (!(error instanceof DatabaseFailure)) return;
      }
      await delay(ANSWER_AGAIN_AFTER_MS, undefined, { ref: false });
    }
  }
}
