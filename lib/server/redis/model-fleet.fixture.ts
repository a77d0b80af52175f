import { localInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { ModelAccount } from '../allowance/model-account.fixture.ts';
import type { Exchange } from '../allowance/model-consumer.fixture.ts';
import type { AllowanceWindow, Reservation, Spending } from '../ports/ledger.ts';
import type { RedisConnection, RedisState } from './connection/redis-connection.ts';
import { RedisFailure } from './connection/redis-failure.ts';
import type { RedisArgument } from './connection/redis-link.ts';
import type { RedisScript } from './connection/redis-script.ts';
import { RedisLedger } from './redis-ledger.ts';

/** What becomes of a command: it never arrives, its answer is lost, or it arrives long after it was given up. */
export type Fault = 'unsent' | 'unanswered' | 'late';

export type StoreCommands = Pick<RedisConnection, 'send' | 'run'>;

/** The connection of one replica to a server, on which commands fail as they do in a network. */
export class FaultyConnection {
  /** Of the next commands. */
  faults: Fault[] = [];
  server: string;
  readonly #connection: StoreCommands;
  #late: (() => Promise<unknown>)[] = [];

  constructor(connection: StoreCommands, server: string) {
    this.#connection = connection;
    this.server = server;
  }

  get state(): RedisState {
    return { kind: 'reachable', since: localInstant(0), server: this.server };
  }

  onChange(): () => void {
    return () => undefined;
  }

  send(args: readonly RedisArgument[]): Promise<unknown> {
    return this.#asFated(() => this.#connection.send(args));
  }

  run(script: RedisScript, keys: readonly string[], args: readonly RedisArgument[]): Promise<unknown> {
    return this.#asFated(() => this.#connection.run(script, keys, args));
  }

  async arriveLate(): Promise<void> {
    for (const command of this.#late.splice(0)) await command();
  }

  async #asFated(command: () => Promise<unknown>): Promise<unknown> {
    const fault = this.faults.shift();
    if (fault === undefined) return command();
    if (fault === 'unanswered') await command();
    if (fault === 'late') this.#late.push(command);
    throw new RedisFailure('slow', fault, true);
  }
}

interface Replica {
  readonly ledger: RedisLedger;
  readonly connection: FaultyConnection;
  readonly clockErrorMs: number;
  stoppedUntilMs: number;
}

interface Event {
  atMs: number;
  readonly order: number;
  /** `undefined`: at the upstream. */
  readonly replica: Replica | undefined;
  readonly run: () => void | Promise<void>;
}

/** Replicas that share a ledger in a real Redis, simulated together with the account: events in order of true time. */
export class ModelFleet {
  nowMs: number;
  /** Our requests that the account refused. */
  refused = 0;
  counted = 0;
  /** Sent by a ledger that knew nothing: what each of them takes may have been granted to another request. */
  blindProbes = 0;
  readonly replicas: Replica[];
  readonly #account: ModelAccount;
  readonly #connection: RedisConnection;
  readonly #name: string;
  readonly #key: string;
  /** Asks only how the ledger stands, and is never failed. */
  readonly #observer: Replica;
  #server = 'first';
  #copy: readonly string[] = [];
  #events: Event[] = [];
  #order = 0;

  constructor(
    connection: RedisConnection,
    name: string,
    account: ModelAccount,
    startMs: number,
    clockErrorsMs: readonly number[],
  ) {
    this.#connection = connection;
    this.#name = name;
    this.#key = `{lookout:1}:ledger:${name}`;
    this.#account = account;
    this.nowMs = startMs;
    this.#observer = this.#replica(0);
    this.replicas = clockErrorsMs.map((errorMs) => this.#replica(errorMs));
  }

  /** Each reserves and, where granted, makes the requests one after another; all at the same time. */
  async request(whose: readonly number[], spending: Spending, exchanges: readonly Exchange[]): Promise<void> {
    await Promise.all(
      whose.map(async (index) => {
        const replica = this.#of(index);
        if (replica.stoppedUntilMs > this.nowMs) return;
        const { minute, day } = await this.#observer.ledger.state(this.#clock(replica));
        const reserved = await replica.ledger.reserve(exchanges.length, spending, this.#clock(replica));
        if (reserved.kind === 'refused') return;
        const { reservation } = reserved;
        const isProbe = minute.size === undefined || day.size === undefined;
        await this.#send(replica, reservation, exchanges.slice(0, reservation.requests), isProbe);
      }),
    );
  }

  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    while (this.nowMs < endMs) {
      await this.#runUntil(Math.min(endMs, this.nowMs + SECOND_MS));
      for (const replica of this.replicas) {
        if (replica.stoppedUntilMs <= this.nowMs) await replica.ledger.beat();
      }
    }
  }

  /** Until nothing is in flight. */
  async settle(): Promise<void> {
    while (this.#events.length > 0) await this.pass(SECOND_MS);
  }

  /** SIGKILL, and another one starts; what it has sent arrives now or never. */
  async kill(index: number, arrives: boolean): Promise<void> {
    const killed = this.#of(index);
    const isOnItsWay = (event: Event) => event.replica === undefined;
    if (arrives) for (const { run } of this.#events.filter(isOnItsWay)) await run();
    this.#events = this.#events.filter((event) => event.replica !== killed && !(arrives && isOnItsWay(event)));
    this.replicas[this.replicas.indexOf(killed)] = this.#replica(killed.clockErrorMs);
  }

  /** SIGSTOP for that time. What it has sent goes on. */
  stop(index: number, ms: number): void {
    const replica = this.#of(index);
    replica.stoppedUntilMs = Math.max(replica.stoppedUntilMs, this.nowMs + ms);
    for (const event of this.#events) {
      if (event.replica === replica) event.atMs = Math.max(event.atMs, replica.stoppedUntilMs);
    }
  }

  fail(index: number, faults: readonly Fault[]): void {
    this.#of(index).connection.faults.push(...faults);
  }

  async arriveLate(): Promise<void> {
    for (const { connection } of this.replicas) await connection.arriveLate();
  }

  async flush(): Promise<void> {
    await this.#connection.send(['DEL', this.#key]);
  }

  /** From now on another server replicates no more. */
  async copy(): Promise<void> {
    this.#copy = (await this.#connection.send(['HMGET', this.#key, 'stamp', 'text'])) as string[];
  }

  /** To that server, with what it has. */
  async failOver(): Promise<void> {
    await this.flush();
    const [stamp, text] = this.#copy;
    if (stamp && text) await this.#connection.send(['HSET', this.#key, 'stamp', stamp, 'text', text]);
    this.#server = `server ${++this.#order}`;
    for (const { connection } of [this.#observer, ...this.replicas]) connection.server = this.#server;
  }

  /** What remains according to the account, and what the ledger would grant of it. */
  async left() {
    const { minute, day } = await this.#observer.ledger.state(this.#clock(this.#observer));
    const account = this.#account.remaining(this.nowMs);
    const granted = ({ remaining, reserved }: AllowanceWindow) => (remaining ?? 0) - reserved;
    return { account, ledger: { minute: granted(minute), day: granted(day) } };
  }

  #replica(clockErrorMs: number): Replica {
    const connection = new FaultyConnection(this.#connection, this.#server);
    const ledger = new RedisLedger({
      connection,
      account: this.#name,
      now: () => this.#clock(replica),
      random: () => 0,
      log: { warn: () => undefined },
      beatEveryMs: 0,
    });
    const replica: Replica = { ledger, connection, clockErrorMs, stoppedUntilMs: 0 };
    return replica;
  }

  #of(index: number): Replica {
    return this.replicas[index % this.replicas.length] as Replica;
  }

  #clock({ clockErrorMs }: Replica): UpstreamInstant {
    return upstreamInstant(this.nowMs + clockErrorMs);
  }

  async #send(
    replica: Replica,
    reservation: Reservation,
    [exchange, ...rest]: readonly Exchange[],
    isProbe: boolean,
  ): Promise<void> {
    if (!exchange) return replica.ledger.release(reservation);
    const { pauseMs, thereMs, backMs, end } = exchange;
    this.#at(pauseMs, replica, () => {
      const sentAt = this.#clock(replica);
      const settle = (afterMs: number, reported: { minute?: number; day?: number }, counted: boolean) =>
        this.#at(afterMs, replica, async () => {
          await replica.ledger.attempted(reservation, {
            counted,
            minuteRemaining: reported.minute,
            dayRemaining: reported.day,
            sentAt,
            receivedAt: this.#clock(replica),
          });
          await this.#send(replica, reservation, rest, false);
        });
      if (end === 'lost') return settle(thereMs + backMs, {}, true);
      this.#at(thereMs, undefined, () => {
        if (end === 'denied') return settle(backMs, {}, false);
        const remaining = this.#account.take(this.nowMs);
        if (remaining) this.counted++;
        else this.refused++;
        if (isProbe) this.blindProbes++;
        settle(backMs, end === 'silent' ? {} : (remaining ?? this.#account.remaining(this.nowMs)), true);
      });
    });
  }

  #at(afterMs: number, replica: Replica | undefined, run: Event['run']): void {
    const atMs = Math.max(this.nowMs + afterMs, replica?.stoppedUntilMs ?? 0);
    this.#events.push({ atMs, order: this.#order++, replica, run });
  }

  async #runUntil(endMs: number): Promise<void> {
    for (;;) {
      const next = this.#events
        .filter(({ atMs }) => atMs <= endMs)
        .sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
      if (!next) break;
      this.#events.splice(this.#events.indexOf(next), 1);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      await next.run();
    }
    this.nowMs = endMs;
  }
}
