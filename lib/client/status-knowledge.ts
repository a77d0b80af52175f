import type { AllowanceStatus } from './allowance-status.ts';
import type { StatusFailureKind, StatusOutcome } from './status-outcome.ts';

/** What is known of the allowance: the last answer, and whether it is still being answered. */
export interface StatusKnowledge {
  /** The last answer, however old; `undefined` before the first. */
  readonly status: AllowanceStatus | undefined;
  readonly failure: StatusFailure | undefined;
}

export interface StatusFailure {
  readonly kind: StatusFailureKind;
  /** When asking first failed since the last answer, on the upstream's clock; `undefined` where that was not known then. */
  readonly sinceMs: number | undefined;
}

export const NOTHING_KNOWN: StatusKnowledge = { status: undefined, failure: undefined };

/**
 * An answer replaces everything; a failure takes nothing away.
 * @param nowMs now on the upstream's clock
 */
export function knowledgeAfter(
  before: StatusKnowledge,
  outcome: StatusOutcome,
  nowMs: number | undefined,
): StatusKnowledge {
  if (outcome.kind === 'told') return { status: outcome.status, failure: undefined };
  const sinceMs = before.failure ? before.failure.sinceMs : nowMs;
  return { status: before.status, failure: { kind: outcome.kind, sinceMs } };
}
