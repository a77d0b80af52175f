import * as z from 'zod/mini';
import { FAILURES, type FailureReason } from './layer-reason.ts';

/** Why a planned area is not refreshed now although no request for it is refused: its text for operators. */
export const WAITS = {
  /** Its interval has not passed. */
  not_due: 'not yet due',
  /** More refreshes are due than the pace allows, and others go first. */
  paced: 'due, but it waits so that the allowance lasts',
  /** A new area: its operators used up their shares for first views, or three first views of one are being read. */
  waits_its_turn: 'new, and waits for a share of the allowance',
  /** Without an allowance: read again at the next change, and after a few seconds at the latest. */
  unchanged: 'unchanged since it was read',
} as const;

export type WaitReason = keyof typeof WAITS;
/** Why a planned area is not refreshed now. The failures of the past alone are in this set, and never the reason. */
export type RefreshReason = FailureReason | WaitReason;

export const refreshReasonSchema = z.enum([
  ...(Object.keys(FAILURES) as FailureReason[]),
  ...(Object.keys(WAITS) as WaitReason[]),
]);

export function isWait(reason: RefreshReason): reason is WaitReason {
  return reason in WAITS;
}
