import type { Bbox } from '#lib/geo/bbox.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Flight } from './flight.ts';

/**
 * An endless sequence of flights. Time is divided into slots of equal length, and flight n lies entirely in slot n,
 * which begins at `phaseMs + n * slotMs`. So the flight at a given time is found without building any other.
 */
export interface Track {
  readonly slotMs: number;
  /** A whole number, like `slotMs`. */
  readonly phaseMs: number;
  /** Every position of every flight lies in one of them. */
  readonly extents: readonly Bbox[];
  flight(number: number): Flight;
}

export function slotAt(track: Track, epochMs: number): number {
  return Math.floor((epochMs - track.phaseMs) / track.slotMs);
}

/** Spare time beyond this is silence between two flights. */
const STAND_MAX_MS = 8 * MINUTE_MS;
/** The minimum share of spare time that is silence. */
const SILENT_PART = 0.2;

/**
 * When a flight is received and when it moves. Spare time in its slot is spent standing, before and after the flight,
 * and in silence. `part`, from 0 to 1, is the share of the spare time that comes before the flight.
 */
export function placeInSlot(
  { slotMs, phaseMs }: Pick<Track, 'slotMs' | 'phaseMs'>,
  number: number,
  durationMs: number,
  part: number,
): Pick<Flight, 'startMs' | 'endMs' | 'standsMs'> {
  const slotStartMs = phaseMs + number * slotMs;
  const spareMs = Math.max(0, slotMs - durationMs);
  const standingMs = Math.min(STAND_MAX_MS, spareMs * (1 - SILENT_PART));
  const startMs = Math.floor(slotStartMs + (spareMs - standingMs) * part);
  const receivedMs = Math.min(slotStartMs + slotMs - startMs, Math.floor(durationMs + standingMs));
  return { startMs, endMs: startMs + receivedMs, standsMs: Math.floor(standingMs * part) };
}
