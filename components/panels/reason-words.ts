import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { untilWords } from './until-words.ts';

export interface ReasonTimes {
  readonly since?: UpstreamInstant | undefined;
  /** One that has passed is not said any more. */
  readonly until: UpstreamInstant | undefined;
}

/** Why something is not refreshed, since when and until when. */
export function reasonWords(
  reason: FailureReason,
  { since, until }: ReasonTimes,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): string {
  const sinceWhen = since === undefined ? '' : ` since ${clockWords(since, zone)}`;
  const { live, ends } = FAILURES[reason];
  const why = `${live}${sinceWhen}`;
  if (until === undefined || (now !== undefined && now >= until)) return why;
  const end = untilWords(until, now, zone);
  return ends === 'at-until' ? `${live} until ${end}` : `${why}; tried again at ${end}`;
}
