import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';

/**
 * A moment that is waited for: `12:05:00Z (in 23 s)`; without the wait where now is not known.
 * @param nowMs now on the upstream's clock
 */
export function untilText(atMs: number, nowMs: number | undefined, zone: ClockZone): string {
  const at = clockText(atMs, zone);
  return nowMs === undefined ? at : `${at} (in ${waitText(atMs - nowMs)})`;
}

/** A time still to wait, to the next whole second: what has not come yet is never `0 s` away. */
export function waitText(ms: number): string {
  return durationText(Math.ceil(ms / 1000) * 1000);
}

/** Times are milliseconds on the upstream's clock. */
interface ReasonTimes {
  readonly sinceMs?: number | undefined;
  /** One that has passed is not said any more. */
  readonly untilMs: number | undefined;
}

/** Why something is not refreshed, since when and until when. */
export function reasonText(
  reason: FailureReason,
  { sinceMs, untilMs }: ReasonTimes,
  nowMs: number | undefined,
  zone: ClockZone,
): string {
  const since = sinceMs === undefined ? '' : ` since ${clockText(sinceMs, zone)}`;
  const { live, ends } = FAILURES[reason];
  const why = `${live}${since}`;
  if (untilMs === undefined || (nowMs !== undefined && nowMs >= untilMs)) return why;
  const until = untilText(untilMs, nowMs, zone);
  return ends === 'at-until' ? `${live} until ${until}` : `${why}; tried again at ${until}`;
}
