import type { Layer } from '#lib/contract/operation.ts';
import { type Motion, motionAt } from '../motion/motion-profile.ts';
import type { Movement } from '../motion/movement.ts';
import type { Reception } from './reception.ts';
import type { Traits } from './traits.ts';

/**
 * One flight of one track. Every flight has its own source id: public references rotate, so clients
 * could not link two flights anyway.
 */
export interface Flight {
  readonly sourceId: string;
  readonly layer: Layer;
  /** The seed of everything random about this flight. */
  readonly key: number;
  /** Milliseconds since 1970; the end is exclusive. */
  readonly startMs: number;
  readonly endMs: number;
  /** How long it stands after its start, before it moves. */
  readonly standsMs: number;
  readonly movement: Movement;
  readonly reception: Reception;
  readonly traits: Traits;
}

/** The motion `elapsedMs` after the flight's start. */
export function motionOf(flight: Flight, elapsedMs: number): Motion {
  return motionAt(flight.movement.profile, elapsedMs - flight.standsMs);
}
