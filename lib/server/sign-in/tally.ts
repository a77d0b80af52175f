import 'server-only';
import { backOffMs } from '#lib/async/back-off.ts';
import { addMs, type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

export interface Tally {
  readonly count: number;
  /** Then the count restarts. */
  readonly countedUntil: LocalInstant;
  /** Nothing is admitted before. */
  readonly delayedUntil: LocalInstant;
}

export interface TallyLimit {
  /** Failures without a delay, within the window. */
  readonly free: number;
  readonly windowMs: number;
  /** Each count restarts the window. */
  readonly isSliding?: boolean;
}

/** The delay doubles up to this: slow for attackers, never a permanent lock. */
const DELAY = { firstMs: SECOND_MS, maxMs: 5 * MINUTE_MS };

export function counted(tally: Tally | undefined, limit: TallyLimit, now: LocalInstant): Tally {
  const count = countOf(tally, limit, now) + 1;
  const isNew = count === 1 || limit.isSliding || tally === undefined;
  const over = count - limit.free;
  const delayMs = over < 0 ? 0 : backOffMs(over + 1, DELAY);
  return {
    count,
    countedUntil: isNew ? addMs(now, limit.windowMs) : tally.countedUntil,
    delayedUntil: over < 0 ? (tally?.delayedUntil ?? now) : addMs(now, delayMs),
  };
}

export function takenBack(tally: Tally | undefined): Tally | undefined {
  return tally && { ...tally, count: Math.max(0, tally.count - 1) };
}

/** A clock set back does not extend the window. */
export function countOf(tally: Tally | undefined, { windowMs }: TallyLimit, now: LocalInstant): number {
  if (!tally) return 0;
  const leftMs = msBetween(now, tally.countedUntil);
  return leftMs > 0 && leftMs <= windowMs ? tally.count : 0;
}

/** Whole seconds until an attempt is admitted. */
export function waitS(tally: Tally | undefined, now: LocalInstant): number {
  if (!tally) return 0;
  const leftMs = Math.min(DELAY.maxMs, msBetween(now, tally.delayedUntil));
  return Math.ceil(Math.max(0, leftMs) / SECOND_MS);
}

export function tallyEnd({ countedUntil, delayedUntil }: Tally): LocalInstant {
  return countedUntil > delayedUntil ? countedUntil : delayedUntil;
}
