import 'server-only';
import { randomUUID } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Client } from 'pg';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { withinMs } from '../machine.ts';
import type { Outcomes } from './database-failure.ts';
import type { Tables } from './tables.ts';

const TOPICS = [
  'alarms',
  'answered-part',
  'demand',
  'frame',
  'lease',
  'operator',
  'permits',
  'plan',
  'retry',
  'schema',
  'seek',
  'session',
  'wanted-part',
  'zones',
] as const;
export type Topic = (typeof TOPICS)[number];

function isTopic(topic: string): topic is Topic {
  return TOPICS.some((each) => each === topic);
}

/** @param text `undefined` if any number of notices may have been missed */
export type NoticeListener = (text: string | undefined) => void;

export interface Notices {
  /** @throws DatabaseFailure if notices cannot arrive */
  readonly started: Promise<void>;
  /**
   * Calls `listener` within a second of each commit. Any role that may connect to PostgreSQL can send notices: a
   * listener only takes them as a hint to read the database, and never as content.
   * @param form of the texts; others are ignored. Default: the empty one
   * @returns the end of listening
   */
  listen(topic: Topic, listener: NoticeListener, form?: RegExp): () => void;
  /** Whether all notices older than a second have arrived; in SQLite, all notices. */
  readonly isCurrent: boolean;
  close(): Promise<void>;
}

/** Half of the shortest interval in which a server writes frames or plans: these are never delayed. */
const APART_MS = 50;
/** Beyond it, a listener reads all that may have changed, which costs less than so many single reads. */
const TEXTS_MAX = 64;
const EMPTY = /^$/;

/** Delivers the notices of a topic within `APART_MS` together, equal ones once, and more than `TEXTS_MAX` as missed. */
export class Listeners {
  readonly #byTopic = new Map<Topic, TopicListeners>();

  add(topic: Topic, listener: NoticeListener, form = EMPTY): () => void {
    const known = this.#byTopic.get(topic) ?? new TopicListeners();
    this.#byTopic.set(topic, known);
    const added = { listener, form };
    known.all.add(added);
    return () => {
      known.all.delete(added);
      if (known.all.size === 0) known.end();
    };
  }

  /** @returns false if its listeners refuse it: a server that starts has no listener yet */
  publish(topic: Topic, text: string): boolean {
    const listeners = this.#byTopic.get(topic);
    return listeners === undefined || listeners.all.size === 0 || listeners.publish(text);
  }

  missed(): void {
    for (const topic of this.#byTopic.values()) topic.deliver(undefined);
  }
}

class TopicListeners {
  readonly all = new Set<{ readonly listener: NoticeListener; readonly form: RegExp }>();
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  publish(text: string): boolean {
    if (![...this.all].some(({ form }) => form.test(text))) return false;
    if (this.#timer !== undefined) {
      if (this.#waiting.size <= TEXTS_MAX) this.#waiting.add(text);
      return true;
    }
    this.deliver(text);
    this.#timer = setTimeout(() => this.#deliverWaiting(), APART_MS).unref();
    return true;
  }

  deliver(text: string | undefined): void {
    for (const { listener, form } of this.all) if (text === undefined || form.test(text)) listener(text);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
  }

  #deliverWaiting(): void {
    const texts = [...this.#waiting];
    this.end();
    if (texts.length === 0) return;
    this.#timer = setTimeout(() => this.#deliverWaiting(), APART_MS).unref();
    if (texts.length > TEXTS_MAX) this.deliver(undefined);
    else for (const text of texts) this.deliver(text);
  }
}

const VERSION_READ_EVERY_MS = 250;

/**
 * Only `npm run operator` changes the file otherwise. SQLite counts such commits, but does not say what they changed.
 */
export class SqliteNotices implements Notices {
  readonly started = Promise.resolve();
  readonly #listeners = new Listeners();
  readonly #dataVersion: StatementSync;
  readonly #isAlone: boolean;
  #timer: NodeJS.Timeout | undefined;
  #version: unknown;

  /** @param isAlone No other process has the file. */
  constructor(database: DatabaseSync, isAlone: boolean) {
    this.#isAlone = isAlone;
    this.#dataVersion = database.prepare('pragma data_version');
  }

  listen(topic: Topic, listener: NoticeListener, form?: RegExp): () => void {
    if (!this.#timer && !this.#isAlone) {
      this.#version = this.#read();
      this.#timer = setInterval(() => this.#notifyOfChanges(), VERSION_READ_EVERY_MS).unref();
    }
    return this.#listeners.add(topic, listener, form);
  }

  /** Costs 7 µs. A change takes effect before its command ends. */
  get isCurrent(): boolean {
    if (this.#timer) this.#notifyOfChanges();
    return true;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  #notifyOfChanges(): void {
    const version = this.#read();
    if (version === this.#version) return;
    this.#version = version;
    this.#listeners.missed();
  }

  #read(): unknown {
    try {
      return this.#dataVersion.get()?.data_version;
    } catch {
      return this.#version;
    }
  }
}

export const CHANNEL = 'lookout';
const CHECK_EVERY_MS = 500;
const RECONNECT_AFTER_MS = 250;
/** It is within the second that `Notices` promises. */
const CURRENT_MS = 900;
const PROVE_EVERY_MS = 5 * SECOND_MS;
const PROOF_MAX_MS = 5 * SECOND_MS;
const PROOF = 'proof ';
/** The log has one line in a minute about notices that are not Lookout’s. */
const ODD_REPORTED_EVERY_MS = MINUTE_MS;

/** `listen` was accepted, but a notice did not return. */
export class NoticesUndelivered extends Error {}

export interface PostgresNoticesOptions {
  readonly connect: () => Client;
  /** Statements run over other connections: a pooler may hand a connection's own notice back to it. */
  readonly query: Kysely<Tables>;
  readonly outcomes: Outcomes;
  /** It is called at most once a minute. @param count of notices that no part of Lookout sends */
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
  #proof: { readonly text: string; readonly returned: () => void } | undefined;
  #odd = 0;
  #oddReportedMs = Number.NEGATIVE_INFINITY;

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

  listen(topic: Topic, listener: NoticeListener, form?: RegExp): () => void {
    return this.#listeners.add(topic, listener, form);
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
      client.on('notification', ({ payload = '' }) => this.#receive(payload));
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

  #receive(payload: string): void {
    if (payload.startsWith(PROOF)) {
      if (payload === this.#proof?.text) this.#proof.returned();
      return;
    }
    const [, topic = '', text = ''] = /^(\S*) (.*)$/s.exec(payload) ?? [];
    if (isTopic(topic) && this.#listeners.publish(topic, text)) return;
    this.#odd++;
    if (performance.now() - this.#oddReportedMs < ODD_REPORTED_EVERY_MS) return;
    this.#oddReportedMs = performance.now();
    this.#options.odd(this.#odd);
    this.#odd = 0;
  }

  /** The listening connection is idle meanwhile, so that a pooler has taken it away from its client. */
  async #prove(): Promise<void> {
    const text = PROOF + randomUUID();
    const { promise: returned, resolve } = Promise.withResolvers<'returned'>();
    this.#proof = { text, returned: () => resolve('returned') };
    try {
      // Lost with a crash, as its listener is: no commit waits for a disk or a standby.
      await sql`
        select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, ${text})
      `.execute(this.#options.query);
      const outcome = await withinMs(returned, PROOF_MAX_MS, this.#ended.signal);
      if (!outcome) throw new NoticesUndelivered('a notice did not return');
    } finally {
      this.#proof = undefined;
    }
  }
}
