import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
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

/** A stretch of one zone that was not watched, and has been read from history since. */
export interface Gap {
  readonly zoneId: string;
  readonly layer: Layer;
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
}

/** Read history from this long before a gap to this long after it, so that entries at its edges are seen. Milliseconds. */
export const GAP_MARGIN_MS = 60_000;

/**
 * Finds alarms that began in a gap. Alarms that the live state knows are not changed, except unknown ones that history shows to have
 * ended. Its transitions have `found: 'history'`.
 */
export function evaluateGap(
  _zones: CompiledZones,
  state: ZoneState,
  _gap: Gap,
  _observations: readonly Observation[],
): Evaluation {
  return { state, transitions: [], rows: [], late: 0 };
}
