import { seededUnit } from '#lib/random/seeded-random.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { CHANCE, type Coverage, type Flight, within } from './track.ts';

// One tick per period is received; some are lost, and all in a gap.

export const DENSE_COVERAGE: Coverage = {
  periodMs: [1000, 5000],
  lostShare: 0.04,
  gapShare: 0.08,
  gapMs: [1.5 * MINUTE_MS, 4 * MINUTE_MS],
  severalShare: 0.75,
  orbitShare: 0,
};
/** The coverage over oceans and poles. */
export const REMOTE_COVERAGE: Coverage = {
  periodMs: [8000, 15_000],
  lostShare: 0.12,
  gapShare: 0.2,
  gapMs: [2 * MINUTE_MS, 7 * MINUTE_MS],
  severalShare: 0.1,
  orbitShare: 0.4,
};
export const DRONE_COVERAGE: Coverage = {
  periodMs: [1000, 3000],
  lostShare: 0.08,
  gapShare: 0.3,
  gapMs: [0.4 * MINUTE_MS, 2.2 * MINUTE_MS],
  severalShare: 0.35,
  orbitShare: 0,
};

const GAP_CYCLE_MS = 8 * MINUTE_MS;
/** A tick is late by up to this share of the period. */
const LATENESS = 0.2;

/** When a tick is received, in whole ms since the start of the flight. Ticks count from 0, in the order of time. */
export function tickMs({ key, periodMs }: Flight, tick: number): number {
  return Math.floor((tick + LATENESS * seededUnit(key, CHANCE.late, tick)) * periodMs);
}

export function firstTickFrom(flight: Flight, elapsedMs: number): number {
  let tick = Math.max(0, Math.floor(elapsedMs / flight.periodMs) - 1);
  while (tickMs(flight, tick) < elapsedMs) tick++;
  return tick;
}

export function isReceived(flight: Flight, tick: number): boolean {
  if (seededUnit(flight.key, CHANCE.lost, tick) < flight.track.coverage.lostShare) return false;
  const elapsedMs = tickMs(flight, tick);
  return elapsedMs < gapStartMs(flight, elapsedMs);
}

/** The last received tick in `(afterMs, untilMs]` since the start of the flight. */
export function latestReceived(flight: Flight, afterMs: number, untilMs: number): number | undefined {
  const lastMs = Math.min(untilMs, flight.endMs - flight.startMs - 1);
  // Due times are rounded down by up to 1 ms.
  for (let tick = Math.floor((lastMs + 1) / flight.periodMs); tick >= 0; tick--) {
    const dueMs = tickMs(flight, tick);
    if (dueMs <= afterMs) return undefined;
    if (dueMs <= lastMs && isReceived(flight, tick)) return tick;
  }
  return undefined;
}

/** When the gap of the present cycle starts, in ms since the start of the flight; Infinity if it has none. */
export function gapStartMs({ key, track }: Flight, elapsedMs: number): number {
  const cycle = Math.floor(elapsedMs / GAP_CYCLE_MS);
  const { gapShare, gapMs } = track.coverage;
  if (seededUnit(key, CHANCE.gap, cycle) >= gapShare) return Number.POSITIVE_INFINITY;
  return (cycle + 1) * GAP_CYCLE_MS - within(gapMs, seededUnit(key, CHANCE.gapLength, cycle));
}
