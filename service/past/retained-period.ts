import type { Observation } from '../sources/observation.ts';
import type { AskedBox } from './box-in-steps.ts';
import type { FoundRow, FoundRows } from './earliest-rows.ts';

/** Times are ms since the start of the period, half-open. */
export interface Asked {
  readonly box: AskedBox;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Found {
  readonly rows: FoundRows;
  readonly isWhole: boolean;
}

export interface RetainedPeriod {
  /** Times cost less. */
  find(asked: Asked, wanted: 'observations' | 'times'): Promise<Found>;
  trackKey(found: FoundRow): string;
  /** In their order, as far as readable. */
  restore(found: readonly FoundRow[]): Promise<{ readonly observations: Observation[]; readonly isWhole: boolean }>;
}
