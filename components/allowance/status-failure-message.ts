import type { LookoutRequestFailure } from '#lib/client/request/fetch-lookout.ts';
import type { StatusError } from '#lib/client/status/status-query.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';

const MESSAGE: Readonly<Record<LookoutRequestFailure, string>> = {
  unreachable: 'No answer from Lookout',
  refused: 'Error from Lookout',
  unreadable: 'Unreadable answer from Lookout',
  'signed-out': 'Signed out: the allowance is not reported',
};

/** Why the status is out of date, and since when. */
export function statusFailureMessage({ kind, since }: Pick<StatusError, 'kind' | 'since'>, zone: ClockZone): string {
  return since === undefined ? MESSAGE[kind] : `${MESSAGE[kind]} since ${clockText(since, zone)}`;
}
