import { RedisFailure } from '#lib/server/redis/connection/redis-failure.ts';
import { FaultyConnection, type StoreCommands } from '#lib/server/redis/model-fleet.fixture.ts';
import { RedisLedger } from '#lib/server/redis/redis-ledger.ts';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { EventQueue } from './event-queue.ts';
import type { Answer, ModelUpstream } from './model-upstream.ts';
import type { SpentFrom } from './simulated-server.ts';

interface ReplicaOptions {
  readonly queue: EventQueue;
  readonly upstream: ModelUpstream;
  readonly store: StoreCommands;
  /** The run of the store's server. */
  readonly server: string;
  readonly account: string;
  readonly clockErrorMs: number;
  /** Called before each reservation, and what it returns after it. */
  readonly reserving: (now: UpstreamInstant) => Promise<(isGranted: boolean) => void>;
}

/** One server of a fleet from its start to its end, with the real ledger of servers that share one. It may stand still, or reach no store. */
export class SimulatedReplica {
  readonly connection: FaultyConnection;
  readonly clockErrorMs: number;
  /** Where its work goes on: later while it stands still, never when it was killed. */
  readonly queue: Pick<EventQueue, 'add'>;
  readonly upstream: Pick<ModelUpstream, 'request'>;
  readonly ledger: SpentFrom;
  isUp = true;
  isCut = false;
  stoppedUntil = 0;
  readonly #options: ReplicaOptions;
  readonly #shared: RedisLedger;
  readonly #open = new Set<number>();
  #at: number;
  #isBeating = false;

  constructor(options: ReplicaOptions, startedAt: number) {
    const { queue, upstream, store, server, account, clockErrorMs } = options;
    this.#options = options;
    this.#at = startedAt;
    this.clockErrorMs = clockErrorMs;
    const faulty = new FaultyConnection(store, server);
    this.connection = faulty;
    // What is under way already arrives all the same.
    const ifReached = <T>(command: () => Promise<T>): Promise<T> =>
      this.isCut ? Promise.reject(new RedisFailure('lost', 'cut off', false)) : command();
    this.#shared = new RedisLedger({
      connection: {
        get state() {
          return faulty.state;
        },
        onChange: () => faulty.onChange(),
        send: (args) => ifReached(() => faulty.send(args)),
        run: (script, keys, args) => ifReached(() => faulty.run(script, keys, args)),
      },
      account,
      now: () => upstreamInstant(this.#at + clockErrorMs),
      random: () => 0,
      log: { warn: () => undefined },
      beatEveryMs: 0,
    });
    this.queue = { add: (at, run) => queue.add(at, (then) => this.#whenRunning(then, run)) };
    this.upstream = {
      request: (sentAt, answered) =>
        upstream.request(sentAt, (answer: Answer, receivedAt) =>
          this.#whenRunning(receivedAt, (then) => answered(answer, then)),
        ),
    };
    this.ledger = this.#ledger();
  }

  /** Whether it runs and reaches the store then. */
  mayPlan(at: number): boolean {
    return this.isUp && at >= this.stoppedUntil && !this.isCut;
  }

  /** @param at the time now */
  stop(at: number, ms: number): void {
    this.#at = at;
    this.stoppedUntil = Math.max(this.stoppedUntil, at + ms);
  }

  /** Reports to the others what is under way, and writes what could not be written. */
  async beat(at: number): Promise<void> {
    this.#at = at;
    await this.#shared.beat();
  }

  async readPast(requests: number, at: number): Promise<void> {
    this.#at = at;
    const now = upstreamInstant(at + this.clockErrorMs);
    const reserved = await this.ledger.reserve(requests, 'history', now);
    if (reserved.kind === 'refused') return;
    const { reservation } = reserved;
    const send = (left: number, sentAt: number) => {
      this.upstream.request(sentAt, async ({ minuteRemaining, dayRemaining, status, retryAfterMs }, receivedAt) => {
        const clock = (time: number) => upstreamInstant(time + this.clockErrorMs);
        const attempt = {
          counted: true,
          minuteRemaining,
          dayRemaining,
          sentAt: clock(sentAt),
          receivedAt: clock(receivedAt),
        };
        await this.ledger.attempted(reservation, attempt);
        if (status === 429)
          await this.ledger.pauseUntil(clock(receivedAt + (retryAfterMs ?? SECOND_MS)), 'allowance_used_up');
        if (status === 200 && left > 1) send(left - 1, receivedAt);
        else await this.ledger.release(reservation);
      });
    };
    send(reservation.requests, at);
  }

  #ledger(): SpentFrom {
    const shared = this.#shared;
    return {
      reserve: async (requests, spending, now) => {
        const reservedAs = await this.#options.reserving(now);
        const reserved = await shared.reserve(requests, spending, now);
        reservedAs(reserved.kind === 'granted');
        if (reserved.kind === 'granted') this.#open.add(reserved.reservation.id);
        this.#beatOn();
        return reserved;
      },
      attempted: async (reservation, attempt) => {
        await shared.attempted(reservation, attempt);
        this.#beatOn();
      },
      release: async (reservation) => {
        this.#open.delete(reservation.id);
        await shared.release(reservation);
        this.#beatOn();
      },
      pauseUntil: (until, reason) => shared.pauseUntil(until, reason),
      state: (now) => shared.state(now),
    };
  }

  /** Each second while something is under way, and once more: what could not be written waits for it. */
  #beatOn(): void {
    if (this.#isBeating) return;
    this.#isBeating = true;
    this.queue.add(this.#at + SECOND_MS, async (at) => {
      this.#isBeating = false;
      await this.beat(at);
      if (this.#open.size > 0 || this.isCut || this.connection.faults.length > 0) this.#beatOn();
    });
  }

  #whenRunning(at: number, run: (at: number) => void | Promise<void>): void | Promise<void> {
    if (!this.isUp) return;
    if (at < this.stoppedUntil) {
      this.#options.queue.add(this.stoppedUntil, (then) => this.#whenRunning(then, run));
      return;
    }
    this.#at = at;
    return run(at);
  }
}
