import { SECOND_MS } from '#lib/time/time-units.ts';
import type { TrackKind } from './position.ts';

export type AgePhase = 'fresh' | 'ageing' | 'expired' | 'removed';

export interface Ageing {
  /** A record without `stale_after` expires this long after `observed_at`. */
  readonly fallbackTtlMs: number;
  /** The hollow outline of an expired position stays this long. */
  readonly expiredMs: number;
}

/**
 * Like other viewers: aircraft are dropped after about 60 s (tar1090, readsb), drones become stale after 90 s
 * (sparrow-droneid). The outline's time is Lookout's own choice.
 */
export const AGEING: Readonly<Record<TrackKind, Ageing>> = {
  aircraft: { fallbackTtlMs: 60 * SECOND_MS, expiredMs: 60 * SECOND_MS },
  drone: { fallbackTtlMs: 90 * SECOND_MS, expiredMs: 90 * SECOND_MS },
};

/** A mark is fully opaque for this part of the time to live. */
export const FRESH_FRACTION = 1 / 3;
export const EXPIRED_OPACITY = 0.45;

/** When a position expires, in epoch ms. @param staleAfterMs NaN if the record has none */
export function expiryMs(observedAtMs: number, staleAfterMs: number, kind: TrackKind): number {
  return Number.isNaN(staleAfterMs) ? observedAtMs + AGEING[kind].fallbackTtlMs : staleAfterMs;
}

export function agePhase(observedAtMs: number, expiresAtMs: number, kind: TrackKind, nowMs: number): AgePhase {
  if (nowMs >= expiresAtMs + AGEING[kind].expiredMs) return 'removed';
  if (nowMs >= expiresAtMs) return 'expired';
  return nowMs < observedAtMs + (expiresAtMs - observedAtMs) * FRESH_FRACTION ? 'fresh' : 'ageing';
}

/** The opacity of a mark at a time; it never increases. */
export function markOpacity(observedAtMs: number, expiresAtMs: number, nowMs: number): number {
  const ttlMs = expiresAtMs - observedAtMs;
  if (ttlMs <= 0 || nowMs >= expiresAtMs) return EXPIRED_OPACITY;
  const lived = (nowMs - observedAtMs) / ttlMs;
  if (lived <= FRESH_FRACTION) return 1;
  return 1 - (1 - EXPIRED_OPACITY) * ((lived - FRESH_FRACTION) / (1 - FRESH_FRACTION));
}
