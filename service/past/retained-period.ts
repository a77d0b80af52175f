import type { Observation } from '../sources/observation.ts';
import type { AskedBox } from './box-in-steps.ts';
import type { FoundRow, FoundRows } from './earliest-rows.ts';

/** A query over one period. Times are ms since its start, half-open. */
export interface Asked {
  readonly box: AskedBox;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The rows found in a period; not whole if some of its rows can't be read. */
export interface Found {
  readonly rows: FoundRows;
  readonly isWhole: boolean;
}

/** One period of one layer for one question: still in memory, or a segment. */
export interface RetainedPeriod {
  /** Rows of which only the time is wanted cost less. */
  find(asked: Asked, wanted: 'observations' | 'times'): Promise<Found>;
  /** Of a row that was found for its observation. */
  trackKey(found: FoundRow): string;
  /** The observations of these rows, in their order, as far as they can be read. */
  restore(found: readonly FoundRow[]): Promise<{ readonly observations: Observation[]; readonly isWhole: boolean }>;
}
