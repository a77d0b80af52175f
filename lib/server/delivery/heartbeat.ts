import 'server-only';
import type { Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import type { WatchedNow } from '#lib/api/watching/zones.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import { epochMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { requireLease, type WriterLease } from '../database/writer-lease.ts';
import type { Part } from '../supervision/supervisor.ts';
import type { CurrentZone } from '../zones/current-zones.ts';
import type { Guard } from './guard.ts';
import { activeDestinations } from './kinds.ts';
import { reportSwitchedOff, switchOff } from './queue.ts';
import { post } from './senders/http-post.ts';
import { SendFailure } from './senders/sender.ts';

const EVERY_MS = MINUTE_MS;
/** Passes of the evaluation are 5 s apart. */
const EVALUATED_WITHIN_MS = 30 * SECOND_MS;

export interface HeartbeatOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  /** When a batch was evaluated last and written. */
  readonly evaluatedAt: () => UpstreamInstant | undefined;
  readonly current: { readonly all: readonly Pick<CurrentZone, 'id' | 'name' | 'activeHours'>[] };
  /** The present state of each zone; zones without a recent stretch are missing. */
  readonly watched: () => Promise<ReadonlyMap<string, WatchedNow>>;
  readonly guard: Pick<Guard, 'agent'>;
  readonly audit: (event: AuditEvent) => void;
  readonly part: Part;
  readonly log: Pick<Logger, 'warn'>;
}

interface Address {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

/**
 * A dead man's switch: the receiver raises the alarm when requests stop. So Lookout sends none while it doubts that it
 * watches.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #beats = new Coalesced(() => this.#options.part.run(() => this.#beat()));

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    // `beat` never rejects: its part reports failures.
    this.#timer = setInterval(() => void this.beat(), EVERY_MS).unref();
  }

  async beat(): Promise<void> {
    await this.#beats.join();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#abort.abort();
    await this.#beats.idle();
  }

  async #beat(): Promise<void> {
    const { database, lease } = this.#options;
    const { fence } = lease;
    if (fence === undefined) return;
    const destinations = await activeDestinations(database.query);
    const urls = destinations.flatMap(({ id, name, config }) =>
      config.kind === 'heartbeat' ? [{ id, name, url: config.url }] : [],
    );
    if (urls.length === 0) return;
    const body = await this.#watches();
    if (body === undefined) return;
    // Shows that the database takes writes of this server.
    await this.#write(
      fence,
      urls.map(({ id }) => id),
      {},
    );
    await Promise.all(urls.map((each) => this.#send(each, JSON.stringify(body), fence)));
  }

  /** @returns what is watched; `undefined` if Lookout does not watch */
  async #watches() {
    const { now, evaluatedAt, current, watched } = this.#options;
    const at = now();
    const evaluated = evaluatedAt();
    if (evaluated === undefined || epochMs(at) - epochMs(evaluated) > EVALUATED_WITHIN_MS) return undefined;
    if (current.all.length === 0) return undefined;
    const present = await watched();
    const active = current.all.filter(({ activeHours }) => activeHours.isActive(epochMs(at)));
    const zones = active.map(({ id, name }) => {
      const { state, reason } = present.get(id) ?? { state: 'not_watched' as const, reason: null };
      return { id, name, watched: state, reason };
    });
    // The upstream is not read for any of them.
    if (zones.length > 0 && zones.every((zone) => zone.watched === 'not_watched')) return undefined;
    return {
      type: 'lookout.heartbeat.v1',
      at: formatInstant(at),
      zones,
      zones_outside_hours: current.all.length - active.length,
    };
  }

  async #send({ id, name, url }: Address, body: string, fence: number): Promise<void> {
    const nowMs = () => Math.floor(epochMs(this.#options.now()));
    const headers = { 'content-type': 'application/json' };
    try {
      await post(url, body, headers, this.#options.guard, this.#abort.signal);
      await this.#write(fence, [id], { problem: null, problem_since_ms: null, last_arrived_ms: nowMs() });
    } catch (error) {
      if (!(error instanceof SendFailure)) throw error;
      if (error.kind === 'gone') {
        await this.#change(fence, (query) => switchOff(query, id, error.message, nowMs()));
        reportSwitchedOff(this.#options, name, error.message);
      } else await this.#write(fence, [id], { problem: error.message }, nowMs());
    }
  }

  /** @throws LeaseLost, DatabaseFailure */
  async #change(fence: number, run: (query: Transaction<Tables>) => Promise<unknown>): Promise<void> {
    const { database } = this.#options;
    await database.change(async (query) => {
      await requireLease(query, database.dialect, fence);
      await run(query);
    });
  }

  /** @throws LeaseLost, DatabaseFailure */
  async #write(
    fence: number,
    ids: readonly string[],
    health: { problem?: string | null; problem_since_ms?: null; last_arrived_ms?: number },
    failedMs?: number,
  ): Promise<void> {
    await this.#change(fence, async (query) => {
      for (const destination_id of ids)
        await query
          .insertInto('destination_health')
          .values({
            destination_id,
            failures: 0,
            ...health,
            ...(failedMs !== undefined && { problem_since_ms: failedMs }),
          })
          .onConflict((conflict) =>
            conflict.column('destination_id').doUpdateSet((each) => ({
              failures: 0,
              ...health,
              ...(failedMs !== undefined && {
                problem_since_ms: each.fn.coalesce('destination_health.problem_since_ms', 'excluded.problem_since_ms'),
              }),
            })),
          )
          .execute();
    });
  }
}
