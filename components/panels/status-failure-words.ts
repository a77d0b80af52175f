import type { StatusFailure } from '#lib/client/status-knowledge.ts';
import type { StatusFailureKind } from '#lib/client/status-outcome.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';

const what: Readonly<Record<StatusFailureKind, string>> = {
  unreachable: 'No answer from Lookout',
  failed: 'Lookout answers with an error',
  unreadable: 'Lookout’s answer cannot be read',
  'signed-out': 'Signed out: the allowance is not told',
};

/** That the status is not told, and since when. */
export function statusFailureWords({ kind, sinceMs }: StatusFailure, zone: ClockZone): string {
  return sinceMs === undefined ? what[kind] : `${what[kind]} since ${clockWords(sinceMs, zone)}`;
}
