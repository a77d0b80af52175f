import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Hears, Listeners, type Notices } from './notices.ts';
import type { Outcomes } from './outcomes.ts';

export const CHANNEL = 'lookout';
const CHECK_EVERY_MS = 500;
const RECONNECT_AFTER_MS = 250;
/** Within the second that `Notices` promises. */
const CURRENT_MS = 900;

/** Its own connection is checked twice a second, and replaced when lost. */
export class PostgresNotices implements Notices {
  readonly #connect: () => Client;
  readonly #outcomes: Outcomes;
  #checkedMs = Number.NEGATIVE_INFINITY;
  readonly #listeners = new Listeners();
  readonly #ended = new AbortController();
  readonly #run: Promise<void>;

  constructor(connect: () => Client, outcomes: Outcomes) {
    this.#connect = connect;
    this.#outcomes = outcomes;
    this.#run = this.#listenUntilClosed();
  }

  get isCurrent(): boolean {
    return performance.now() - this.#checkedMs < CURRENT_MS;
  }

  listen(topic: string, hears: Hears): () => void {
    return this.#listeners.add(topic, hears);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#run;
  }

  async #listenUntilClosed(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const client = this.#connect();
      client.on('error', () => undefined);
      client.on('notification', ({ payload = '' }) => {
        const [, topic = '', text = ''] = /^(\S*) (.*)$/s.exec(payload) ?? [];
        this.#listeners.tell(topic, text);
      });
      try {
        await client.connect();
        await client.query(`listen ${CHANNEL}`);
        this.#listeners.missed();
        while (!signal.aborted) {
          const askedMs = performance.now();
          await client.query('select 1');
          this.#checkedMs = askedMs;
          this.#outcomes.succeeded();
          await delay(CHECK_EVERY_MS, undefined, { signal });
        }
      } catch (error) {
        if (!signal.aborted) this.#outcomes.failed(error);
      }
      void client.end().catch(() => undefined);
      await delay(RECONNECT_AFTER_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
