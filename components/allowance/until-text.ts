import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/** A future time: `12:05:00Z (in 23 s)`; without the countdown while the current time is unknown. */
export function untilText(until: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const at = clockText(until, zone);
  return now === undefined ? at : `${at} (in ${waitText(msBetween(now, until))})`;
}

/** A remaining wait, rounded up to whole seconds, so that it is never `0 s`. */
export function waitText(ms: number): string {
  return durationText(Math.ceil(ms / 1000) * 1000);
}

interface ReasonTimes {
  readonly since?: UpstreamInstant | undefined;
  /** Left out once it has passed. */
  readonly until: UpstreamInstant | undefined;
}

/** Why something is not refreshed, since when and until when. */
export function reasonText(
  reason: FailureReason,
  { since, until }: ReasonTimes,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): string {
  const sinceWhen = since === undefined ? '' : ` (since ${clockText(since, zone)})`;
  const { live, ends } = FAILURES[reason];
  const why = `${live}${sinceWhen}`;
  if (until === undefined || (now !== undefined && now >= until)) return why;
  const end = untilText(until, now, zone);
  return ends === 'at-until' ? `${live} until ${end}` : `${why}; next try at ${end}`;
}
