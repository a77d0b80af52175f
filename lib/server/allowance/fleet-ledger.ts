import 'server-only';
import { addMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Attempt, LedgerState, PastTerms, PauseReason, RefusedKey, Reserved, Spending } from '../ports/ledger.ts';
import { AllowanceLedger, RESERVATION_LIFE_MS, type SavedLedger } from './allowance-ledger.ts';
import { NO_WORK, type OpenReservation, type SavedWork } from './open-reservations.ts';

/** The ledger that several servers, the replicas, share; as JSON in their store. */
export interface SavedFleetLedger {
  /** Another one each time that it begins again. */
  readonly epoch: string;
  /** The run of the store's server on which it began: another one may know less. */
  readonly server: string;
  /** Until then the replicas report what they have under way, and one probe is all that is granted. */
  readonly quietUntil: UpstreamInstant;
  /** By name. `applied`: the number of its latest operation that is in here. */
  readonly replicas: Readonly<Record<string, { readonly applied: number; readonly seenAt: UpstreamInstant }>>;
  readonly account: SavedLedger;
  readonly work: SavedWork;
}

/** What a replica asks of the ledger: numbered without gaps that matter, so that none is done twice. */
export type FleetOperation = { readonly number: number; readonly at: UpstreamInstant } & (
  | {
      readonly kind: 'reserve';
      readonly requests: number;
      readonly spending: Spending;
      readonly past?: PastTerms | undefined;
    }
  | { readonly kind: 'attempted'; readonly id: number; readonly attempt: Attempt }
  | { readonly kind: 'release'; readonly id: number }
  /** Gives back what that operation reserved, if it did: its answer was lost. */
  | { readonly kind: 'withdraw'; readonly operation: number }
  | { readonly kind: 'pause'; readonly until: UpstreamInstant; readonly reason: PauseReason }
  | { readonly kind: 'check-day' }
  | { readonly kind: 'refused-key'; readonly refused: RefusedKey | undefined }
  /** The replica is there. */
  | { readonly kind: 'beat' }
);

/** A replica that has requests under way says so more often than this. */
const SILENT_MS = 5 * SECOND_MS;
/**
 * In which every replica that has requests under way has said so: it begins to reach for the store half a second after it could not, at the latest,
 * gives that a second, and says so then.
 */
export const QUIET_MS = 2.5 * SECOND_MS;

const PROBING: Reserved = { kind: 'refused', why: 'probing', until: undefined };
const NEVER = upstreamInstant(0);
const NO_ACCOUNT: SavedLedger = new AllowanceLedger().saved();

/**
 * One state of the shared ledger and what each operation makes of it. Pure: it is read from the store, changed here, and written back if nobody
 * has written meanwhile. The rules of the allowances are those of `AllowanceLedger`.
 */
export class FleetLedger {
  readonly #saved: SavedFleetLedger;
  readonly #account: AllowanceLedger;
  readonly #replicas: Map<string, { applied: number; seenAt: UpstreamInstant }>;

  constructor(saved: SavedFleetLedger) {
    this.#saved = saved;
    this.#account = new AllowanceLedger(saved.account, saved.work);
    this.#replicas = new Map(Object.entries(saved.replicas).map(([name, replica]) => [name, { ...replica }]));
  }

  /**
   * A ledger that knows nothing of what the upstream grants, and so begins with one probe. It keeps what limits: pauses, what history has used, and
   * what is under way.
   * @param firstId of its reservations, which no ledger before it has given
   * @param remembered what is left of ledgers before it
   */
  static begin(
    beginning: Pick<SavedFleetLedger, 'epoch' | 'server' | 'quietUntil'>,
    firstId: number,
    remembered: readonly SavedFleetLedger[],
  ): FleetLedger {
    const reservations = new Map(remembered.flatMap(({ work }) => work.reservations.map((each) => [each.id, each])));
    const account = { ...NO_ACCOUNT, nextReservationId: firstId };
    return new FleetLedger({
      ...beginning,
      replicas: {},
      account: remembered.reduce((sum, { account: each }) => withLimitsOf(sum, each), account),
      work: { ...NO_WORK, reservations: [...reservations.values()] },
    });
  }

  get epoch(): string {
    return this.#saved.epoch;
  }

  /** `undefined` where it has not heard of the replica. */
  appliedOf(replica: string): number | undefined {
    return this.#replicas.get(replica)?.applied;
  }

  /**
   * The replica comes from another ledger, or from none.
   * @param applied its latest operation that was in there
   * @param before what it remembers of that one: its reservations there are those that it has now
   */
  join(replica: string, applied: number, before: SavedFleetLedger | undefined): FleetLedger {
    const { account, work, ...rest } = this.saved();
    const isOther = ({ holder }: OpenReservation) => holder?.replica !== replica;
    const own = before?.work.reservations.filter((each) => !isOther(each)) ?? [];
    const joined = new FleetLedger({
      ...rest,
      account: before ? withLimitsOf(account, before.account) : account,
      work: { ...work, reservations: [...work.reservations.filter(isOther), ...own] },
    });
    joined.#replicas.set(replica, { applied, seenAt: NEVER });
    return joined;
  }

  /** Does nothing for one that was applied already. @returns what became of a `reserve` */
  apply(replica: string, operation: FleetOperation): Reserved | undefined {
    const { at, number } = operation;
    const known = this.#replicas.get(replica) ?? { applied: 0, seenAt: at };
    this.#replicas.set(replica, { applied: known.applied, seenAt: at > known.seenAt ? at : known.seenAt });
    this.#takeOver(at);
    if (number <= known.applied) return undefined;
    this.#replicas.set(replica, { applied: number, seenAt: at > known.seenAt ? at : known.seenAt });
    switch (operation.kind) {
      case 'reserve':
        return this.#reserve(replica, operation);
      case 'attempted':
        return this.#attempted(replica, operation.id, operation.attempt);
      case 'release':
        if (this.#isOf(replica, operation.id)) this.#account.release(operation);
        return undefined;
      case 'withdraw':
        for (const [id, { holder }] of [...this.#account.open]) {
          if (holder?.replica === replica && holder.operation === operation.operation) this.#account.release({ id });
        }
        return undefined;
      case 'pause':
        this.#account.pauseUntil(operation.until, operation.reason);
        return undefined;
      case 'check-day':
        this.#account.checkDay(at);
        return undefined;
      case 'refused-key':
        this.#account.keepRefusedKey(operation.refused);
        return undefined;
      case 'beat':
        return undefined;
    }
  }

  state(now: UpstreamInstant): LedgerState {
    return this.#account.state(now);
  }

  saved(): SavedFleetLedger {
    return {
      ...this.#saved,
      replicas: Object.fromEntries(this.#replicas),
      account: { ...this.#account.saved(), open: NO_ACCOUNT.open },
      work: this.#account.open.saved(),
    };
  }

  #reserve(
    replica: string,
    { number, at, requests, spending, past }: FleetOperation & { readonly kind: 'reserve' },
  ): Reserved {
    const { minute, day } = this.#account.state(at);
    const isKnown = minute.size !== undefined && day.size !== undefined;
    const quietMs = msBetween(at, this.#saved.quietUntil);
    // A clock that was set back must not make it longer.
    if (isKnown && quietMs > 0 && quietMs <= 2 * QUIET_MS) return PROBING;
    const reserved = this.#account.reserve(requests, spending, at, past);
    if (reserved.kind === 'refused') return reserved;
    const { id } = reserved.reservation;
    const open = this.#account.open.get(id) as OpenReservation;
    this.#account.open.set(id, { ...open, holder: { replica, operation: number } });
    return reserved;
  }

  #attempted(replica: string, id: number, attempt: Attempt): undefined {
    // What was abandoned counts as spent already.
    if (!this.#isOf(replica, id) || this.#account.open.get(id)?.left === 0) return;
    // What completed meanwhile is not known any more: its number may be of long ago.
    const isSilent = this.#account.open.get(id)?.holder?.isSilent === true;
    const reported = isSilent ? { minuteRemaining: undefined, dayRemaining: undefined } : {};
    this.#account.attempted({ id }, { ...attempt, ...reported });
  }

  #isOf(replica: string, id: number): boolean {
    return this.#account.open.get(id)?.holder?.replica === replica;
  }

  /**
   * What a replica that is gone has under way stays reserved, in every window, until it is too old to be sent; it may only be standing still. But
   * nobody waits for its probe.
   */
  #takeOver(at: UpstreamInstant): void {
    const { open } = this.#account;
    for (const [id, each] of [...open]) {
      if (msBetween(each.reservedAt, at) > RESERVATION_LIFE_MS) {
        this.#account.abandon(id, at);
        continue;
      }
      const { holder } = each;
      if (holder === undefined || holder.isSilent) continue;
      const seenAt = this.#replicas.get(holder.replica)?.seenAt ?? NEVER;
      const lastAt = seenAt > each.reservedAt ? seenAt : each.reservedAt;
      if (msBetween(lastAt, at) <= SILENT_MS) continue;
      open.set(id, { ...each, holder: { ...holder, isSilent: true } });
      if (open.probeId === id) open.probeId = undefined;
    }
    for (const [name, { seenAt }] of [...this.#replicas]) {
      const hasWork = [...open].some(([, { holder }]) => holder?.replica === name);
      if (!hasWork && seenAt < addMs(at, -RESERVATION_LIFE_MS)) this.#replicas.delete(name);
    }
  }
}

/** One account with the pauses and the counts of both. */
function withLimitsOf(account: SavedLedger, other: SavedLedger): SavedLedger {
  const { dayStartsAt: day, pausedUntil } = account;
  const longer = pausedUntil === undefined || (other.pausedUntil ?? NEVER) > pausedUntil ? other : account;
  const pause = { pausedUntil: longer.pausedUntil, pausedFor: longer.pausedFor };
  const refusedKey = account.refusedKey ?? other.refusedKey;
  const limited = { ...account, ...pause, refusedKey, asOf: other.asOf > account.asOf ? other.asOf : account.asOf };
  if (other.dayStartsAt < day) return limited;
  const { dayStartsAt, spentToday, spentOnHistoryToday, historyUses } = other;
  if (other.dayStartsAt > day) return { ...limited, dayStartsAt, spentToday, spentOnHistoryToday, historyUses };
  const uses = new Map(account.historyUses.map((use) => [use.operator, use]));
  for (const use of historyUses)
    if (use.requests > (uses.get(use.operator)?.requests ?? -1)) uses.set(use.operator, use);
  return {
    ...limited,
    spentToday: Math.max(account.spentToday, spentToday),
    spentOnHistoryToday: Math.max(account.spentOnHistoryToday, spentOnHistoryToday),
    historyUses: [...uses.values()],
  };
}
