import { SECOND_MS } from '#lib/time/time-units.ts';
import type { TrackKind } from './position.ts';

/**
 * How a received position ages, live and in replay: it is current until it expires. Then the map shows it as expired, at the
 * last received position, for a fixed time, and removes it.
 */
export type AgePhase = 'fresh' | 'ageing' | 'expired' | 'removed';

export interface Ageing {
  /** Time to live, counted from `observed_at`, of a record without `stale_after`. */
  readonly fallbackTtlMs: number;
  /** How long the hollow outline is drawn after expiry. */
  readonly expiredMs: number;
}

/**
 * The fallback times follow other viewers: aircraft are dropped after about 60 s (tar1090, readsb), drones become stale after
 * 90 s (sparrow-droneid). How long a hollow outline stays is Lookout's own choice.
 */
export const AGEING: Readonly<Record<TrackKind, Ageing>> = {
  aircraft: { fallbackTtlMs: 60 * SECOND_MS, expiredMs: 60 * SECOND_MS },
  drone: { fallbackTtlMs: 90 * SECOND_MS, expiredMs: 90 * SECOND_MS },
};

/** A position is fully opaque for this part of its time to live, and then fades until it expires. */
const FRESH_FRACTION = 1 / 3;
/** Opacity at expiry, and of the expired outline. */
export const EXPIRED_OPACITY = 0.45;

/** When the position expires, in epoch milliseconds. @param staleAfterMs NaN if the record has no `stale_after` */
export function expiryMs(observedAtMs: number, staleAfterMs: number, kind: TrackKind): number {
  return Number.isNaN(staleAfterMs) ? observedAtMs + AGEING[kind].fallbackTtlMs : staleAfterMs;
}

/** @param expiresAtMs as returned by `expiryMs` */
export function agePhase(observedAtMs: number, expiresAtMs: number, kind: TrackKind, nowMs: number): AgePhase {
  if (nowMs >= expiresAtMs + AGEING[kind].expiredMs) return 'removed';
  if (nowMs >= expiresAtMs) return 'expired';
  return nowMs < observedAtMs + (expiresAtMs - observedAtMs) * FRESH_FRACTION ? 'fresh' : 'ageing';
}

/** Opacity of a mark, from 1 (fresh) down to `EXPIRED_OPACITY` (expired). Never increases with `nowMs`. */
export function opacity(observedAtMs: number, expiresAtMs: number, nowMs: number): number {
  const ttlMs = expiresAtMs - observedAtMs;
  if (ttlMs <= 0 || nowMs >= expiresAtMs) return EXPIRED_OPACITY;
  const lived = (nowMs - observedAtMs) / ttlMs;
  if (lived <= FRESH_FRACTION) return 1;
  return 1 - (1 - EXPIRED_OPACITY) * ((lived - FRESH_FRACTION) / (1 - FRESH_FRACTION));
}
