import { UNREPORTED } from '#lib/columns/unreported.ts';
import { MAX_STEPS, RECORD_FIELDS } from '#lib/model/record-fields.ts';

/**
 * Numbers in units are NaN if unreported, and whole steps of record-fields.ts are UNREPORTED then. Frames, trails and a
 * replay's rows have steps; the page's tracks have units.
 */

/** The nearest step, within what a column may have. */
export function toSteps(units: number, stepsPerUnit: number): number {
  if (Number.isNaN(units)) return UNREPORTED;
  return clampedSteps(Math.round(units * stepsPerUnit));
}

export function toUnits(steps: number, stepsPerUnit: number): number {
  return steps === UNREPORTED ? Number.NaN : steps / stepsPerUnit;
}

export function clampedSteps(steps: number): number {
  return Math.max(-MAX_STEPS, Math.min(MAX_STEPS, steps));
}

/** Places of trails have the steps of records. */
export const DEGREE_STEPS = RECORD_FIELDS.lon.stepsPerUnit;
export const METRE_STEPS = RECORD_FIELDS.altitudeM.stepsPerUnit;
