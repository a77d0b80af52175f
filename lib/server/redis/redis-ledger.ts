import 'server-only';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { addMs, epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { RESERVATION_LIFE_MS } from '../allowance/allowance-ledger.ts';
import { FleetLedger, type FleetOperation, QUIET_MS, type SavedFleetLedger } from '../allowance/fleet-ledger.ts';
import type {
  Attempt,
  Ledger,
  LedgerState,
  PastTerms,
  PauseReason,
  Refused,
  RefusedKey,
  Reservation,
  Reserved,
  Spending,
} from '../ports/ledger.ts';
import type { RedisConnection, RedisState } from './connection/redis-connection.ts';
import { RedisFailure } from './connection/redis-failure.ts';
import { LedgerStore, type StoredLedger } from './stored-ledger.ts';

export interface RedisLedgerOptions {
  readonly connection: Pick<RedisConnection, 'send' | 'run' | 'state' | 'onChange'>;
  /** Names the upstream account in keys: replicas with the same one share its ledger. */
  readonly account: string;
  readonly now: () => UpstreamInstant;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Pick<Logger, 'warn'>;
  /** How often it is said that requests are under way; 0: only `beat` does. */
  readonly beatEveryMs?: number;
  /** How long a new ledger waits for what others have under way. */
  readonly quietMs?: number;
}

interface Waiting {
  readonly operation: FleetOperation;
  readonly done: (reserved: Reserved | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** What is known of the store's ledger: nobody may have written it since. */
interface Known {
  readonly stamp: string;
  readonly saved: SavedFleetLedger;
}

const NOT_KEPT: Refused = { kind: 'refused', why: 'shared-store', until: undefined };
const BEAT_EVERY_MS = SECOND_MS;
/** Of one batch, against others who write at the same time. */
const MAX_TRIES = 200;
const WAIT_MAX_MS = 10;
/** Of the ids of one epoch; below all of them a random number, so that no two epochs give the same. */
const IDS_PER_EPOCH = 2 ** 21;

/**
 * The ledger that several servers share. Each change is made by `FleetLedger` to the state that was read, and written where nobody has written
 * meanwhile; what is asked at the same time is written together. While the store does not answer, nothing is granted, and what was attempted waits.
 */
export class RedisLedger implements Ledger {
  readonly #options: RedisLedgerOptions;
  readonly #store: LedgerStore;
  readonly #replica = randomUUID().slice(0, 8);
  readonly #granted = new Map<number, number>();
  readonly #endings: (() => void)[] = [];
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #known: Known | undefined;
  /** What was last read or written, to be shown while the store does not answer. */
  #seen: SavedFleetLedger | undefined;
  /** The latest operation that is in the ledger for certain, and when that was. */
  #applied = 0;
  #appliedAt = upstreamInstant(0);
  #number = 0;

  constructor(options: RedisLedgerOptions) {
    this.#options = options;
    this.#store = new LedgerStore(options.connection, options.account);
    const beat = () => void this.beat();
    this.#endings.push(options.connection.onChange(({ kind }) => kind === 'reachable' && beat()));
    const everyMs = options.beatEveryMs ?? BEAT_EVERY_MS;
    if (everyMs > 0) {
      const timer = setInterval(beat, everyMs).unref();
      this.#endings.push(() => clearInterval(timer));
    }
  }

  async reserve(requests: number, spending: Spending, now: UpstreamInstant, past?: PastTerms): Promise<Reserved> {
    if (!Number.isInteger(requests) || requests < 1) throw new RangeError(`cannot reserve ${requests} requests`);
    const operation: FleetOperation = { kind: 'reserve', number: ++this.#number, at: now, requests, spending, past };
    const reserved = (await this.#ask(operation)) ?? NOT_KEPT;
    if (reserved.kind === 'granted') this.#granted.set(reserved.reservation.id, reserved.reservation.requests);
    return reserved;
  }

  async attempted({ id }: Reservation, attempt: Attempt): Promise<void> {
    const left = this.#granted.get(id) ?? 0;
    if (left === 0) throw new Error(`an attempt on reservation ${id}, which has no request left`);
    this.#granted.set(id, left - 1);
    await this.#ask({ kind: 'attempted', number: ++this.#number, at: attempt.receivedAt, id, attempt });
  }

  async release({ id }: Reservation): Promise<void> {
    if (!this.#granted.delete(id)) return;
    await this.#ask({ kind: 'release', number: ++this.#number, at: this.#options.now(), id });
  }

  async pauseUntil(until: UpstreamInstant, reason: PauseReason): Promise<void> {
    await this.#ask({ kind: 'pause', number: ++this.#number, at: this.#options.now(), until, reason });
  }

  async checkDay(now: UpstreamInstant): Promise<void> {
    await this.#ask({ kind: 'check-day', number: ++this.#number, at: now });
  }

  async keepRefusedKey(refused: RefusedKey | undefined): Promise<void> {
    await this.#ask({ kind: 'refused-key', number: ++this.#number, at: this.#options.now(), refused });
  }

  /** As it was last seen, while the store does not answer. */
  async state(now: UpstreamInstant): Promise<LedgerState> {
    try {
      const found = await this.#store.read();
      if (!this.#isCurrent(found)) return this.#begun(found).state(now);
      this.#seen = found.saved;
    } catch (error) {
      if (!(error instanceof RedisFailure)) throw error;
    }
    return (this.#seen ? new FleetLedger(this.#seen) : this.#begun(NOTHING)).state(now);
  }

  /** Announces to the other replicas that this one is there, if it has requests under way, and writes what waits. */
  async beat(): Promise<void> {
    if (this.#waiting.length === 0 && this.#granted.size === 0) return;
    if (this.#waiting.length === 0)
      void this.#ask({ kind: 'beat', number: 0, at: this.#options.now() }).catch(() => undefined);
    await this.#write();
  }

  /** Writes what waits, if the store answers. No method may be called afterwards. */
  async close(): Promise<void> {
    for (const end of this.#endings) end();
    await this.#write();
  }

  #ask(operation: FleetOperation): Promise<Reserved | undefined> {
    const answer = new Promise<Reserved | undefined>((done, failed) => this.#waiting.push({ operation, done, failed }));
    void this.#write();
    return answer;
  }

  /** One batch after the other: what is asked while one is written is the next. */
  async #write(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#waiting.length === 0) return;
    this.#writing = this.#writeBatch();
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      const answers = await this.#written(batch.map(({ operation }) => operation));
      for (const [index, { done }] of batch.entries()) done(answers[index]);
    } catch (error) {
      if (error instanceof RedisFailure) this.#postpone(batch, error.isUnknown);
      else for (const { failed } of batch) failed(error);
    }
  }

  /** What was attempted is written later; what was to be reserved is not wanted any more, and given back if it was. */
  #postpone(batch: readonly Waiting[], isUnknown: boolean): void {
    const ignore = () => undefined;
    const later = batch.flatMap(({ operation }): Waiting[] => {
      if (operation.kind === 'beat') return [];
      if (operation.kind !== 'reserve') return [{ operation, done: ignore, failed: ignore }];
      if (!isUnknown) return [];
      const withdraw: FleetOperation = {
        kind: 'withdraw',
        number: ++this.#number,
        at: operation.at,
        operation: operation.number,
      };
      return [{ operation: withdraw, done: ignore, failed: ignore }];
    });
    const numbered = [...later, ...this.#waiting].sort((a, b) => a.operation.number - b.operation.number);
    this.#waiting = numbered;
    for (const { operation, done } of batch) done(operation.kind === 'reserve' ? NOT_KEPT : undefined);
  }

  /** @throws RedisFailure */
  async #written(operations: readonly FleetOperation[]): Promise<(Reserved | undefined)[]> {
    const { connection } = this.#options;
    let found: StoredLedger | undefined;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 1) await delay(this.#options.random() * Math.min(WAIT_MAX_MS, tries));
      const isFresh = found !== undefined || this.#known === undefined;
      const server = serverOf(connection.state);
      const base = found ?? (this.#known ? { ...this.#known, isUnreadable: false } : await this.#store.read());
      const ledger = await this.#ledgerFrom(base);
      const answers = operations.map((operation) => ledger.apply(this.#replica, operation));
      const isUnchanged = operations.every(
        (each, index) => each.kind === 'reserve' && !each.past && answers[index]?.kind === 'refused',
      );
      if (isUnchanged && isFresh) return answers;
      const [stamp, saved] = [randomBytes(9).toString('base64url'), ledger.saved()];
      if (isUnchanged) {
        found = await this.#store.read();
        continue;
      }
      try {
        found = await this.#store.replace(base.isUnreadable ? '' : base.stamp, stamp, saved);
      } catch (error) {
        this.#known = this.#known && { ...this.#known, stamp: '?' };
        throw error;
      }
      if (found === undefined) {
        if (serverOf(connection.state) !== server) throw new RedisFailure('lost', 'the server changed meanwhile', true);
        this.#known = { stamp, saved };
        this.#seen = saved;
        this.#applied = Math.max(this.#applied, ...operations.map(({ number }) => number));
        this.#appliedAt = this.#options.now();
        return answers;
      }
    }
    throw new RedisFailure('slow', 'others wrote the ledger each time', false);
  }

  /** The ledger to go on with: the one that was found, or a new one, where that cannot be trusted. */
  async #ledgerFrom(found: StoredLedger): Promise<FleetLedger> {
    if (found.isUnreadable) {
      const time = new Date(epochMs(this.#options.now())).toISOString().replaceAll(/[-:]|\.\d+/g, '');
      const aside = await this.#store.setAside(found.stamp, `ledger-${time}-${this.#replica}`);
      this.#options.log.warn({ key: this.#store.key, set_aside_as: aside }, 'an unreadable ledger was set aside');
    }
    if (!this.#isCurrent(found)) return this.#begun(found).join(this.#replica, this.#applied, this.#known?.saved);
    const ledger = new FleetLedger(found.saved);
    const isKnown = ledger.epoch === this.#known?.saved.epoch && ledger.appliedOf(this.#replica) !== undefined;
    return isKnown ? ledger : ledger.join(this.#replica, this.#applied, this.#known?.saved);
  }

  /** Whether it is the ledger that this run of the server was given, with all that is known to be in it. */
  #isCurrent(found: StoredLedger): found is StoredLedger & { readonly saved: SavedFleetLedger } {
    const { saved } = found;
    const { state } = this.#options.connection;
    if (saved === undefined || (state.kind === 'reachable' && state.server !== saved.server)) return false;
    if (saved.epoch !== this.#known?.saved.epoch) return true;
    // Replicas that have had nothing to say for long are forgotten.
    const isRemembered = msBetween(this.#appliedAt, this.#options.now()) < RESERVATION_LIFE_MS / 2;
    const applied = saved.replicas[this.#replica]?.applied ?? (isRemembered ? 0 : this.#applied);
    return applied >= this.#applied;
  }

  #begun({ saved }: Pick<StoredLedger, 'saved'>): FleetLedger {
    const { connection, now, quietMs = QUIET_MS } = this.#options;
    const { state } = connection;
    return FleetLedger.begin(
      {
        epoch: randomBytes(9).toString('base64url'),
        server: serverOf(state),
        quietUntil: addMs(now(), quietMs),
      },
      randomInt(1, 2 ** 31) * IDS_PER_EPOCH,
      [saved, this.#known?.saved].filter((each) => each !== undefined),
    );
  }
}

const NOTHING = { saved: undefined };

function serverOf(state: RedisState): string {
  return state.kind === 'reachable' ? state.server : '';
}
