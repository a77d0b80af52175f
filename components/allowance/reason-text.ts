import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { untilText } from './until-text.ts';

export interface ReasonTimes {
  readonly since?: UpstreamInstant | undefined;
  /** One that has passed is not said any more. */
  readonly until: UpstreamInstant | undefined;
}

/** Why something is not refreshed, since when and until when. */
export function reasonText(
  reason: FailureReason,
  { since, until }: ReasonTimes,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): string {
  const sinceWhen = since === undefined ? '' : ` since ${clockText(since, zone)}`;
  const { live, ends } = FAILURES[reason];
  const why = `${live}${sinceWhen}`;
  if (until === undefined || (now !== undefined && now >= until)) return why;
  const end = untilText(until, now, zone);
  return ends === 'at-until' ? `${live} until ${end}` : `${why}; tried again at ${end}`;
}
