import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Hears, Listeners, type Notices } from './notices.ts';

export const CHANNEL = 'lookout';
const CHECK_EVERY_MS = 500;
const RECONNECT_AFTER_MS = 250;

/** Listens on a connection of its own, which is checked twice a second and replaced when it is lost. */
export class PostgresNotices implements Notices {
  readonly #connect: () => Client;
  readonly #listeners = new Listeners();
  readonly #ended = new AbortController();
  readonly #run: Promise<void>;

  constructor(connect: () => Client) {
    this.#connect = connect;
    this.#run = this.#listenUntilClosed();
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
          await client.query('select 1');
          await delay(CHECK_EVERY_MS, undefined, { signal });
        }
      } catch {
        // Statements report that the database is lost.
      }
      void client.end().catch(() => undefined);
      await delay(RECONNECT_AFTER_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
