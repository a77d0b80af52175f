import 'server-only';
import {
  epochMs,
  type LocalInstant,
  localInstant,
  msBetween,
  type UpstreamInstant,
  upstreamInstant,
} from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

/**
 * Estimates the upstream's clock from its answers: `generated_at` was written between sending and receiving. Ages, minutes
 * and days follow the upstream's clock, not ours.
 */
export class UpstreamClock {
  readonly #localNow: () => LocalInstant;
  #offsetMs = 0;
  /** Half the round trip of the sample that the offset came from: its maximum error. */
  #doubtMs = Number.POSITIVE_INFINITY;
  #sampledAt: LocalInstant | undefined;
  /** The highest offset that other servers reported in this minute, and in the one before it. */
  #reported: { readonly since: LocalInstant; readonly offsetMs: number; readonly beforeMs: number } | undefined;

  constructor(localNow: () => LocalInstant) {
    this.#localNow = localNow;
  }

  /** A more precise sample wins for a minute; after that any newer one does, because clocks drift and are set. */
  sample(generatedAt: UpstreamInstant, sentAt: LocalInstant, receivedAt: LocalInstant): void {
    const doubtMs = msBetween(sentAt, receivedAt) / 2;
    const offsetMs = epochMs(generatedAt) - (epochMs(sentAt) + doubtMs);
    const old = this.#sampledAt === undefined || msBetween(this.#sampledAt, receivedAt) > MINUTE_MS;
    const contradicted = Math.abs(offsetMs - this.#offsetMs) > doubtMs + this.#doubtMs;
    if (!old && !contradicted && doubtMs > this.#doubtMs) return;
    this.#offsetMs = offsetMs;
    this.#doubtMs = doubtMs;
    this.#sampledAt = receivedAt;
  }

  /**
   * Takes another server's estimate of the present, which comes late and never early: the highest counts, so that one that was delayed makes nothing
   * look younger. Own samples of the last minute are better.
   */
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
    this.#doubtMs = Number.POSITIVE_INFINITY;
  }

  now(): UpstreamInstant {
    return this.fromLocal(this.#localNow());
  }

  fromLocal(local: LocalInstant): UpstreamInstant {
    return upstreamInstant(epochMs(local) + Math.round(this.#offsetMs));
  }

  toLocal(upstream: UpstreamInstant): LocalInstant {
    return localInstant(epochMs(upstream) - Math.round(this.#offsetMs));
  }
}
