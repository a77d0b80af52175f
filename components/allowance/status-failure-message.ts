import type { AskFailure } from '#lib/client/request/ask-lookout.ts';
import type { StatusError } from '#lib/client/status/status-query.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';

const what: Readonly<Record<AskFailure, string>> = {
  unreachable: 'No answer from Lookout',
  refused: 'Lookout answers with an error',
  unreadable: 'Lookout’s answer cannot be read',
  'signed-out': 'Signed out: the allowance is not reported',
};

/** That the status is not reported, and since when. */
export function statusFailureMessage({ kind, since }: Pick<StatusError, 'kind' | 'since'>, zone: ClockZone): string {
  return since === undefined ? what[kind] : `${what[kind]} since ${clockText(since, zone)}`;
}
