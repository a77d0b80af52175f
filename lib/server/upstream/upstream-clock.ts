import 'server-only';
import {
  addMs,
  epochMs,
  type LocalInstant,
  localInstant,
  msBetween,
  type UpstreamInstant,
  upstreamInstant,
} from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { CLOCK_STEP_MS } from '../allowance/ledger.ts';

/**
 * `generated_at` was written between sending and receiving. Ages and allowances follow the upstream's clock, not ours.
 */
export class UpstreamClock {
  readonly #localNow: () => LocalInstant;
  #offsetMs = 0;
  /** Maximum error: half the round trip of the sample. */
  #doubtMs = Number.POSITIVE_INFINITY;
  #sampledAt: LocalInstant | undefined;
  /** The time that the local clock may have missed, since the machine may have been suspended. */
  #missedMs = 0;
  readonly #setBackListeners = new Set<(ms: number) => void>();
  /** The highest offset of other servers, in this minute and the one before. */
  #reported: { readonly since: LocalInstant; readonly offsetMs: number; readonly beforeMs: number } | undefined;

  constructor(localNow: () => LocalInstant) {
    this.#localNow = localNow;
  }

  /** A more precise sample wins for a minute; then any newer one does, because clocks drift and are set. */
  sample(generatedAt: UpstreamInstant, sentAt: LocalInstant, receivedAt: LocalInstant): void {
    const doubtMs = msBetween(sentAt, receivedAt) / 2;
    const offsetMs = epochMs(generatedAt) - (epochMs(sentAt) + doubtMs);
    const old = this.#sampledAt === undefined || msBetween(this.#sampledAt, receivedAt) > MINUTE_MS;
    const contradicted = Math.abs(offsetMs - this.#offsetMs) > doubtMs + this.#doubtMs;
    if (!old && !contradicted && this.#missedMs === 0 && doubtMs > this.#doubtMs) return;
    const stepMs = this.#sampledAt === undefined ? 0 : Math.round(offsetMs) - Math.round(this.#offsetMs);
    this.#missedMs = 0;
    this.#offsetMs = offsetMs;
    this.#doubtMs = doubtMs;
    this.#sampledAt = receivedAt;
    if (contradicted && stepMs < -CLOCK_STEP_MS) for (const listener of this.#setBackListeners) listener(-stepMs);
  }

  /** The local clock may have stood still; the next answer shows it. */
  mayHaveMissed(ms: number): void {
    this.#missedMs += ms;
  }

  /** Called before the answer is used that showed it. */
  onSetBack(listener: (ms: number) => void): void {
    this.#setBackListeners.add(listener);
  }

  /** Reports come late, never early: the highest counts. Own samples of the last minute are better. */
  takeReport(instant: UpstreamInstant, receivedAt: LocalInstant): void {
    const offsetMs = epochMs(instant) - epochMs(receivedAt);
    const takeReport = this.#reported;
    const ageMs = takeReport ? msBetween(takeReport.since, receivedAt) : Number.POSITIVE_INFINITY;
    if (takeReport && ageMs >= 0 && ageMs < MINUTE_MS) {
      this.#reported = { ...takeReport, offsetMs: Math.max(takeReport.offsetMs, offsetMs) };
    } else {
      const beforeMs =
        takeReport && ageMs >= 0 && ageMs < 2 * MINUTE_MS ? takeReport.offsetMs : Number.NEGATIVE_INFINITY;
      this.#reported = { since: receivedAt, offsetMs, beforeMs };
    }
    if (this.#sampledAt !== undefined && msBetween(this.#sampledAt, receivedAt) <= MINUTE_MS) return;
    this.#offsetMs = Math.max(this.#reported.offsetMs, this.#reported.beforeMs);
    this.#missedMs = 0;
    this.#doubtMs = Number.POSITIVE_INFINITY;
  }

  /** By how much the upstream's clock is ahead; `undefined` before the first answer. */
  get aheadMs(): number | undefined {
    return this.#sampledAt === undefined && this.#reported === undefined ? undefined : this.#offsetMs;
  }

  now(): UpstreamInstant {
    return this.fromLocal(this.#localNow());
  }

  /** The latest possible time: nothing looks younger than it is. */
  nowForAges(): UpstreamInstant {
    return addMs(this.now(), this.#missedMs);
  }

  fromLocal(local: LocalInstant): UpstreamInstant {
    return upstreamInstant(epochMs(local) + Math.round(this.#offsetMs));
  }

  toLocal(upstream: UpstreamInstant): LocalInstant {
    return localInstant(epochMs(upstream) - Math.round(this.#offsetMs));
  }
}
