import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

export function untilText(until: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const at = clockText(until, zone);
  return now === undefined ? at : `${at} (in ${waitText(msBetween(now, until))})`;
}

/** Rounded up to whole seconds, so never `0 s`. */
export function waitText(ms: number): string {
  return durationText(Math.ceil(ms / 1000) * 1000);
}

interface ReasonTimes {
  readonly since?: UpstreamInstant | undefined;
  /** Left out once it has passed. */
  readonly until: UpstreamInstant | undefined;
}

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
