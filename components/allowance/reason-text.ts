import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { untilText } from './until-text.ts';

/** Times are milliseconds on the upstream's clock. */
export interface ReasonTimes {
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
