import type { StateRow } from './transition.ts';

/** What the evaluation remembers: the last position of each track, and each rule's progress. Changed in place by `evaluate`. */
export interface ZoneState {
  readonly rows: Map<string, string>;
}

export function emptyZoneState(): ZoneState {
  return { rows: new Map() };
}

/** The state of rows as `evaluate` returned them, in any order. */
export function loadZoneState(rows: Iterable<StateRow>): ZoneState {
  const state = emptyZoneState();
  for (const { key, value } of rows) if (value !== undefined) state.rows.set(key, value);
  return state;
}
