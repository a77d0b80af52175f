import { SECOND_MS } from '#lib/time/time-units.ts';
import type { TrackKind } from './position.ts';

/**
 * How a received position ages. One rule for live and replay: a position is current until it expires, coasts at its last
 * received place for a stated time, and is then removed.
 */
export type AgePhase = 'fresh' | 'ageing' | 'coasted' | 'removed';

export interface Ageing {
  /** Where a record carries no `stale_after`: the span after `observed_at` in which it is current. */
  readonly fallbackTtlMs: number;
  /** How long the hollow outline stays after expiry. */
  readonly coastMs: number;
}

/**
 * The fallback spans follow what other viewers use: aircraft drop at about 60 s (tar1090, readsb), drones turn stale at 90 s
 * (sparrow-droneid). The coasting spans are Lookout's own statement.
 */
export const AGEING: Readonly<Record<TrackKind, Ageing>> = {
  aircraft: { fallbackTtlMs: 60 * SECOND_MS, coastMs: 60 * SECOND_MS },
  drone: { fallbackTtlMs: 90 * SECOND_MS, coastMs: 90 * SECOND_MS },
};

/** A position keeps its full opacity for this part of its lifetime, then fades until it expires. */
const FRESH_PART = 1 / 3;
/** Strength at the moment of expiry, and of the coasted outline. */
export const EXPIRED_OPACITY = 0.45;

/** When the position expires, in milliseconds of the epoch. `staleAfterMs` is NaN where the record carries none. */
export function expiryMs(observedAtMs: number, staleAfterMs: number, kind: TrackKind): number {
  return Number.isNaN(staleAfterMs) ? observedAtMs + AGEING[kind].fallbackTtlMs : staleAfterMs;
}

/** `expiresAtMs` as from `expiryMs`. */
export function agePhase(observedAtMs: number, expiresAtMs: number, kind: TrackKind, nowMs: number): AgePhase {
  if (nowMs >= expiresAtMs + AGEING[kind].coastMs) return 'removed';
  if (nowMs >= expiresAtMs) return 'coasted';
  return nowMs < observedAtMs + (expiresAtMs - observedAtMs) * FRESH_PART ? 'fresh' : 'ageing';
}

/** How strongly a mark is drawn, 1 (fresh) down to `EXPIRED_OPACITY` (expired). Never rises as time goes on. */
export function opacity(observedAtMs: number, expiresAtMs: number, nowMs: number): number {
  const ttlMs = expiresAtMs - observedAtMs;
  if (ttlMs <= 0 || nowMs >= expiresAtMs) return EXPIRED_OPACITY;
  const lived = (nowMs - observedAtMs) / ttlMs;
  if (lived <= FRESH_PART) return 1;
  return 1 - (1 - EXPIRED_OPACITY) * ((lived - FRESH_PART) / (1 - FRESH_PART));
}
