import * as z from 'zod/mini';
import { FAILURES, type FailureReason } from './layer-reason.ts';

/** Of a planned area without a refused request, in words for operators. */
export const WAITS = {
  /** Its interval has not passed. */
  not_due: 'not yet due',
  /** More refreshes are due than the pace allows. */
  paced: 'due, but it waits so that the allowance lasts',
  /** A new area: shares for first views are used up, or three first views of an operator are being read. */
  waits_its_turn: 'new, and waits for a share of the allowance',
  /** Without an allowance: read at the next change, or after a few seconds. */
  unchanged: 'unchanged since it was read',
} as const;

export type WaitReason = keyof typeof WAITS;
/** Failures of the past are never the reason. */
export type RefreshReason = FailureReason | WaitReason;

export const refreshReasonSchema = z.enum([
  ...(Object.keys(FAILURES) as FailureReason[]),
  ...(Object.keys(WAITS) as WaitReason[]),
]);

export function isWait(reason: RefreshReason): reason is WaitReason {
  return reason in WAITS;
}
