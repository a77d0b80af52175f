import type { Reception } from '#lib/model/reception.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { WatchedStretch } from '../alarm.ts';
import { type MergedStretch, WATCHED_RANK } from './merged-stretches.ts';

/** How far a place was watched: by the time between its reads, and by what they report of receivers. */

/** Two reads this far apart leave nothing out: receivers record a track every 5 to 10 s. */
export const WATCHED_MAX_MS = 15 * SECOND_MS;
/** Beyond, most records have left the live picture between two reads. */
export const PARTLY_MAX_MS = MINUTE_MS;

/** A receiver that falls silent is reported as missing within this time. */
export const RECEPTION_NOTICED_MS = 15 * SECOND_MS;

type Watched = Pick<WatchedStretch, 'state' | 'reason'>;

/** The watched state for each state of reception, of a layer that is read in time. */
export const WATCHED_AS = {
  ok: { state: 'watched', reason: null },
  partly: { state: 'partly', reason: 'receivers_partly' },
  lost: { state: 'not_watched', reason: 'receivers_lost' },
  none: { state: 'not_watched', reason: 'not_equipped' },
} as const satisfies Record<Reception['state'], Watched>;

/** History has nothing of such times either. */
export const RECEPTION_REASONS = Object.values(WATCHED_AS).flatMap(({ reason }) => reason ?? []);
export type ReceptionReason = (typeof RECEPTION_REASONS)[number];

export function isReceptionReason(reason: WatchedStretch['reason']): reason is ReceptionReason {
  return RECEPTION_REASONS.some((each) => each === reason);
}

/** Nothing can be received, so nothing can be left out either. */
export function isWithoutReceiver(reception: Reception | undefined): boolean {
  return reception !== undefined && WATCHED_AS[reception.state].state === 'not_watched';
}

/** The reception that one read reports. */
export interface Reported extends Watched {
  /** `undefined` where it is not known. */
  readonly sinceMs: number | undefined;
}

/**
 * Of all parts of a place: not watched only if no part is. A part that reports nothing counts as watched.
 * @returns `undefined` if none reports
 */
export function reportedOver(parts: readonly (Reception | undefined)[]): Reported | undefined {
  const all = parts.map(
    (part): Reported => ({ ...WATCHED_AS[part?.state ?? 'ok'], sinceMs: part?.since && epochMs(part.since) }),
  );
  const [worst] = all.toSorted((one, other) => WATCHED_RANK[one.state] - WATCHED_RANK[other.state]);
  if (!worst || parts.every((part) => part === undefined)) return undefined;
  const isMixed = all.some(({ state }) => state !== worst.state);
  if (isMixed || worst.state === 'partly') {
    const sinces = all.filter(({ state }) => state !== 'watched').map(({ sinceMs }) => sinceMs ?? Number.NaN);
    return { state: 'partly', reason: worst.reason, sinceMs: knownMs(Math.min(...sinces)) };
  }
  if (worst.state === 'watched')
    return { ...worst, sinceMs: knownMs(Math.max(...all.map(({ sinceMs }) => sinceMs ?? -Infinity))) };
  // A layer that never had a receiver leaves the decision to the others.
  const lost = all.filter(({ reason, sinceMs }) => reason !== 'not_equipped' || sinceMs !== undefined);
  const [{ reason }] = lost.length === 0 ? [worst] : (lost as [Reported]);
  return {
    state: 'not_watched',
    reason,
    sinceMs: knownMs(Math.max(...lost.map(({ sinceMs }) => sinceMs ?? Number.NaN))),
  };
}

function knownMs(ms: number): number | undefined {
  return Number.isFinite(ms) ? ms : undefined;
}

/**
 * Splits the time between two reads by their reports. The first stretch begins before `fromMs` where receivers were
 * missing before they were missed: notes of a better state are wrong since then.
 * @param before by the read at `fromMs`
 */
export function reportedBetween(
  before: Reported | undefined,
  now: Reported | undefined,
  fromMs: number,
  toMs: number,
): readonly MergedStretch[] {
  const is: Watched = now ?? WATCHED_AS.ok;
  const was: Watched = (now && before) ?? WATCHED_AS.ok;
  const changedMs = changeOf(before, now, fromMs, toMs);
  return [
    { fromMs, toMs: changedMs, state: was.state, reason: was.reason },
    { fromMs: changedMs, toMs, state: is.state, reason: is.reason },
  ].filter((stretch) => stretch.fromMs < stretch.toMs);
}

function changeOf(before: Reported | undefined, now: Reported | undefined, fromMs: number, toMs: number): number {
  if (!now) return fromMs;
  const [wasRank, isRank] = [WATCHED_RANK[before?.state ?? 'watched'], WATCHED_RANK[now.state]];
  const { sinceMs } = now;
  // A time that is not known counts as not watched.
  if (sinceMs === undefined || sinceMs > toMs) return isRank > wasRank ? toMs : fromMs;
  if (sinceMs >= fromMs) return sinceMs;
  if (now.state === 'watched' || isRank > wasRank) return fromMs;
  if (isRank === wasRank) return (before?.sinceMs ?? Number.POSITIVE_INFINITY) > sinceMs ? sinceMs : fromMs;
  // The first of several was missed earlier: the last one was there when this was read.
  if (before?.state === 'partly' && before.sinceMs === sinceMs) return Math.max(sinceMs, fromMs - RECEPTION_NOTICED_MS);
  return sinceMs;
}

/** Cuts a stretch where the worse state begins. */
export function worsenedStretch<Stretch extends MergedStretch>(
  stretch: Stretch,
  worse: MergedStretch,
): readonly Stretch[] {
  const { fromMs, toMs, state } = stretch;
  const [startMs, endMs] = [Math.max(fromMs, worse.fromMs), Math.min(toMs, worse.toMs)];
  if (startMs >= endMs || WATCHED_RANK[state] <= WATCHED_RANK[worse.state]) return [stretch];
  return [
    { ...stretch, toMs: startMs },
    { ...stretch, fromMs: startMs, toMs: endMs, state: worse.state, reason: worse.reason },
    { ...stretch, fromMs: endMs },
  ].filter((part) => part.fromMs < part.toMs);
}
