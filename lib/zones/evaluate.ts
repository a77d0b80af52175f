import type { CompiledZones } from './evaluation/compile-zones.ts';
import type { Observation, StateRow, Transition, WatchedNote } from './evaluation/transition.ts';
import type { ZoneState } from './evaluation/zone-state.ts';

export interface Evaluation {
  /** The state that was passed in, changed in place: it belongs to its evaluator. If rows can't be stored, load the state again. */
  readonly state: ZoneState;
  /** In order of observed time. */
  readonly transitions: readonly Transition[];
  /** Rows to store in the same transaction as the transitions. */
  readonly rows: readonly StateRow[];
  /** Observations not newer than the last one of their track. They decide nothing. */
  readonly late: number;
}

/**
 * Evaluates one answer: its positions, and the notes on how far zones were watched. Observed time is the only clock. An answer that
 * is read again changes nothing. Answers may have positions of any order; across answers, a position that is not newer than the last
 * of its track is late.
 */
export function evaluate(
  _zones: CompiledZones,
  state: ZoneState,
  _observations: readonly Observation[],
  _watched: readonly WatchedNote[],
): Evaluation {
  return { state, transitions: [], rows: [], late: 0 };
}
