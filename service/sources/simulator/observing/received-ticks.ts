import { seededUnit } from '#lib/random/seeded-random.ts';
import type { Flight } from '../flights/flight.ts';
import { NO_GAP, type Reception, type ReceptionGap } from '../flights/reception.ts';

/** A tick is late by up to this share of the period. */
const LATENESS = 0.2;
/** Distinct keys for each use of seeded numbers. */
const [LATE, LOST] = [101, 102];

/**
 * When a tick is due, in whole milliseconds since the flight's start. Ticks count from 0, and later ones are due later.
 */
export function tickMs(flight: Flight, tick: number): number {
  const { periodMs, phaseMs } = flight.reception;
  return Math.floor(phaseMs + (tick + LATENESS * seededUnit(flight.key, LATE, tick)) * periodMs);
}

/** The first tick that is due at or after the time. */
export function firstTickFrom(flight: Flight, elapsedMs: number): number {
  const { periodMs, phaseMs } = flight.reception;
  const earliest = Math.max(0, Math.ceil((elapsedMs - phaseMs) / periodMs - LATENESS));
  return tickMs(flight, earliest) >= elapsedMs ? earliest : earliest + 1;
}

export function isReceived(flight: Flight, tick: number, elapsedMs: number): boolean {
  return !isLost(flight, tick) && !isInGap(gapNear(flight.reception, elapsedMs), elapsedMs);
}

/** The latest received tick in `(afterMs, untilMs]` since the flight's start, if there is one. */
export function latestReceived(flight: Flight, afterMs: number, untilMs: number): number | undefined {
  const { periodMs, phaseMs } = flight.reception;
  const lastMs = Math.min(untilMs, flight.endMs - flight.startMs - 1);
  // Due times are rounded down to whole milliseconds, so a tick may be due up to 1 ms before its nominal time.
  let tick = Math.floor((lastMs + 1 - phaseMs) / periodMs);
  if (tick >= 0 && tickMs(flight, tick) > lastMs) tick--;
  while (tick >= 0) {
    const dueMs = tickMs(flight, tick);
    if (dueMs <= afterMs) return undefined;
    const gap = gapNear(flight.reception, dueMs);
    if (isInGap(gap, dueMs)) tick = Math.min(tick - 1, Math.floor((gap.startMs + 1 - phaseMs) / periodMs));
    else if (isLost(flight, tick)) tick--;
    else return tick;
  }
  return undefined;
}

/** Milliseconds until the gap of the same cycle begins: Infinity if there is none, negative once it has begun. */
export function untilGapMs({ reception }: Flight, elapsedMs: number): number {
  return gapNear(reception, elapsedMs).startMs - elapsedMs;
}

function gapNear({ gaps, gapCycleMs }: Reception, elapsedMs: number): ReceptionGap {
  return gaps[Math.floor(elapsedMs / gapCycleMs)] ?? NO_GAP;
}

function isInGap(gap: ReceptionGap, elapsedMs: number): boolean {
  return elapsedMs >= gap.startMs && elapsedMs < gap.endMs;
}

function isLost(flight: Flight, tick: number): boolean {
  return seededUnit(flight.key, LOST, tick) < flight.reception.lostShare;
}
