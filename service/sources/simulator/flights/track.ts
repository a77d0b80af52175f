import type { Bbox } from '#lib/geo/bbox.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Flight } from './flight.ts';

/**
 * An endless row of flights. Time is cut into slots of one length, and flight number n lies wholly in slot n, which
 * begins at `phaseMs + n * slotMs`: which flight is on at a time needs no look at any other.
 */
export interface Track {
  readonly slotMs: number;
  /** Whole milliseconds, like `slotMs`. */
  readonly phaseMs: number;
  /** Every position of every flight lies in one of them. */
  readonly extents: readonly Bbox[];
  flight(number: number): Flight;
}

export function slotAt(track: Track, epochMs: number): number {
  return Math.floor((epochMs - track.phaseMs) / track.slotMs);
}

/** Time to spare beyond this is silence between two flights. */
const LONGEST_STAND_MS = 8 * MINUTE_MS;
/** What is left at least of the time to spare for silence. */
const SILENT_PART = 0.2;

/**
 * When a flight is heard and when it moves: time to spare in its slot is spent standing, before and after, and in
 * silence.
 */
export function placeInSlot(
  { slotMs, phaseMs }: Pick<Track, 'slotMs' | 'phaseMs'>,
  number: number,
  durationMs: number,
  part: number,
): Pick<Flight, 'startMs' | 'endMs' | 'standsMs'> {
  const slotStartMs = phaseMs + number * slotMs;
  const spareMs = Math.max(0, slotMs - durationMs);
  const standingMs = Math.min(LONGEST_STAND_MS, spareMs * (1 - SILENT_PART));
  const startMs = Math.floor(slotStartMs + (spareMs - standingMs) * part);
  const heardMs = Math.min(slotStartMs + slotMs - startMs, Math.floor(durationMs + standingMs));
  return { startMs, endMs: startMs + heardMs, standsMs: Math.floor(standingMs * part) };
}
