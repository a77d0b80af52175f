import 'server-only';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Client } from 'pg';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { type Hears, isTopic, Listeners, type Notices, type Topic } from './notices.ts';
import type { Outcomes } from './outcomes.ts';
import type { Tables } from './tables/tables.ts';

export const CHANNEL = 'lookout';
const CHECK_EVERY_MS = 500;
const RECONNECT_AFTER_MS = 250;
/** Within the second that `Notices` promises. */
const CURRENT_MS = 900;
const PROVE_EVERY_MS = 5 * SECOND_MS;
const PROOF_MAX_MS = 5 * SECOND_MS;
const PROOF = 'proof ';
/** Of a line in the log about notices that are not Lookout’s. */
const ODD_TOLD_EVERY_MS = MINUTE_MS;

/** `listen` was accepted, but a notice did not return. */
export class NoticesUnheard extends Error {}

export interface PostgresNoticesOptions {
  readonly connect: () => Client;
  /** Over other connections: a pooler may hand a connection's own notice back to it. */
  readonly query: Kysely<Tables>;
  readonly outcomes: Outcomes;
  /** At most once a minute. @param count of notices that no part of Lookout sends */
  readonly odd: (count: number) => void;
}

/**
 * Its own connection is checked twice a second, and replaced when lost. A notice that returns proves that it listens:
 * behind a pooler in transaction mode, `listen` succeeds without effect.
 */
export class PostgresNotices implements Notices {
  readonly #options: PostgresNoticesOptions;
  #checkedMs = Number.NEGATIVE_INFINITY;
  readonly #listeners = new Listeners();
  readonly #ended = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  readonly #run: Promise<void>;
  #proof: { readonly text: string; readonly heard: () => void } | undefined;
  #odd = 0;
  #oddToldMs = Number.NEGATIVE_INFINITY;

  constructor(options: PostgresNoticesOptions) {
    this.#options = options;
    this.#first.promise.catch(() => undefined);
    this.#run = this.#listenUntilClosed();
  }

  get started(): Promise<void> {
    return this.#first.promise;
  }

  get isCurrent(): boolean {
    return performance.now() - this.#checkedMs < CURRENT_MS;
  }

  listen(topic: Topic, hears: Hears, form?: RegExp): () => void {
    return this.#listeners.add(topic, hears, form);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#run;
  }

  async #listenUntilClosed(): Promise<void> {
    const { signal } = this.#ended;
    const { connect, outcomes } = this.#options;
    while (!signal.aborted) {
      const client = connect();
      client.on('error', () => undefined);
      client.on('notification', ({ payload = '' }) => this.#heard(payload));
      try {
        await client.connect();
        await client.query(`listen ${CHANNEL}`);
        this.#listeners.missed();
        let provenMs = Number.NEGATIVE_INFINITY;
        while (!signal.aborted) {
          if (performance.now() - provenMs >= PROVE_EVERY_MS) {
            await this.#prove();
            provenMs = performance.now();
            this.#first.resolve();
          }
          const askedMs = performance.now();
          await client.query('select 1');
          this.#checkedMs = askedMs;
          outcomes.succeeded();
          await delay(CHECK_EVERY_MS, undefined, { signal });
        }
      } catch (error) {
        if (!signal.aborted) this.#first.reject(outcomes.failed(error));
      }
      void client.end().catch(() => undefined);
      await delay(RECONNECT_AFTER_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #heard(payload: string): void {
    if (payload.startsWith(PROOF)) {
      if (payload === this.#proof?.text) this.#proof.heard();
      return;
    }
    const [, topic = '', text = ''] = /^(\S*) (.*)$/s.exec(payload) ?? [];
    if (isTopic(topic) && this.#listeners.tell(topic, text)) return;
    this.#odd++;
    if (performance.now() - this.#oddToldMs < ODD_TOLD_EVERY_MS) return;
    this.#oddToldMs = performance.now();
    this.#options.odd(this.#odd);
    this.#odd = 0;
  }

  /** The listening connection is idle meanwhile, so that a pooler has taken it away from its client. */
  async #prove(): Promise<void> {
    const text = PROOF + randomUUID();
    const { promise: heard, resolve } = Promise.withResolvers<'heard'>();
    this.#proof = { text, heard: () => resolve('heard') };
    const waited = new AbortController();
    try {
      // Lost with a crash, as its listener is: no commit waits for a disk or a standby.
      await sql`
        select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, ${text})
      `.execute(this.#options.query);
      const signal = AbortSignal.any([this.#ended.signal, waited.signal]);
      const over = delay(PROOF_MAX_MS, 'over', { signal }).catch(() => 'over');
      if ((await Promise.race([heard, over])) === 'over') throw new NoticesUnheard('a notice did not return');
    } finally {
      this.#proof = undefined;
      waited.abort();
    }
  }
}
