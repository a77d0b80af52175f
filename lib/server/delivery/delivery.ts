import 'server-only';
import { Coalesced } from '#lib/async/coalesced.ts';
import { epochMs } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { requireLease } from '../database/writer-lease.ts';
import type { Part } from '../supervision/supervisor.ts';
import { onAlarmsChanged } from '../zones/alarms/alarm-row.ts';
import { announceDue, fanOut } from './fan-out.ts';
import { type AnyDestination, activeDestinations } from './kinds.ts';
import { removeSubscription } from './push-subscriptions.ts';
import { DestinationQueue, type QueueOptions } from './queue.ts';
import type { Sender } from './senders/sender.ts';
import { dueSubscriptions, type Standing } from './targets.ts';

const PASSES_EVERY_MS = SECOND_MS;

export interface DeliveryOptions extends QueueOptions {
  /** Returns `undefined` for a kind that takes no notices. */
  readonly open: (destination: AnyDestination) => Sender | undefined;
  readonly standing: Standing;
}

/**
 * Takes the changes of alarms, and sends notices of them to destinations, at least once each. Only the writer does: a
 * follower closes its senders. It decides nothing about alarms, and an alarm never waits for it.
 *
 * `fan-out.ts` makes notices of changes, `queue.ts` holds and retries the notices of one destination, and `kinds.ts` opens
 * the sender of its kind.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #queues = new Map<string, DestinationQueue>();
  readonly #endListening: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #part: Part;
  readonly #passes = new Coalesced(() => this.#supervisedPass());
  #isClosed = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#part = options.supervisor.part('delivery');
    this.#endListening = onAlarmsChanged(options.database, () => this.pass());
    this.#timer = setInterval(() => this.pass(), PASSES_EVERY_MS).unref();
  }

  /** Call it after alarms or destinations changed. */
  pass(): void {
    // It never rejects: the supervised part reports a failure.
    if (!this.#isClosed) void this.#passes.run();
  }

  /** Resolves when everything that is due was tried. */
  async idle(): Promise<void> {
    await this.#passes.idle();
    await Promise.all(Array.from(this.#queues.values(), (queue) => queue.idle()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endListening();
    clearInterval(this.#timer);
    await this.#passes.idle();
    await this.#closeAll();
  }

  async #supervisedPass(): Promise<void> {
    if (this.#isClosed || !(await this.#part.run(() => this.#pass()))) return;
    if (this.#options.lease.fence === undefined) this.#part.rest();
  }

  async #pass(): Promise<void> {
    const { database, lease, now, standing } = this.#options;
    const { fence } = lease;
    if (fence === undefined) return this.#closeAll();
    const nowMs = () => Math.floor(epochMs(now()));
    while (await fanOut(database, fence, nowMs(), standing));
    while (await announceDue(database, fence, nowMs(), standing));
    const { due, lost } = await dueSubscriptions(database.query, nowMs(), standing);
    await this.#follow([...(await activeDestinations(database.query)), ...due]);
    for (const id of lost)
      await database.change(async (query) => {
        await requireLease(query, database.dialect, fence);
        await removeSubscription(query, id, 'Its person may not view any more, or ended the session.');
      });
    for (const queue of this.#queues.values()) queue.drain(fence);
  }

  /** A changed destination, or a browser whose person has another role, gets a new queue. */
  async #follow(destinations: readonly AnyDestination[]): Promise<void> {
    const wanted = new Map(destinations.map((destination) => [destination.id, destination]));
    for (const [id, queue] of this.#queues) {
      const [next, { revision, seenBy }] = [wanted.get(id), queue.destination];
      if (next?.revision === revision && next.seenBy?.isAdmin === seenBy?.isAdmin) continue;
      this.#queues.delete(id);
      await queue.close();
    }
    for (const [id, destination] of wanted) {
      if (this.#queues.has(id)) continue;
      const sender = this.#options.open(destination);
      if (sender) this.#queues.set(id, new DestinationQueue(destination, sender, this.#options));
    }
  }

  async #closeAll(): Promise<void> {
    const all = [...this.#queues.values()];
    this.#queues.clear();
    await Promise.all(all.map((queue) => queue.close()));
  }
}
