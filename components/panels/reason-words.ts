import { LAYER_REASONS, type LayerReason } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { untilWords } from './until-words.ts';

/** Times are milliseconds on the upstream's clock. */
export interface ReasonTimes {
  readonly sinceMs?: number | undefined;
  /** One that has passed is not said any more. */
  readonly untilMs: number | undefined;
}

/** Why something is not refreshed, since when and until when. */
export function reasonWords(
  reason: LayerReason,
  { sinceMs, untilMs }: ReasonTimes,
  nowMs: number | undefined,
  zone: ClockZone,
): string {
  const since = sinceMs === undefined ? '' : ` since ${clockWords(sinceMs, zone)}`;
  const why = `${LAYER_REASONS[reason]}${since}`;
  if (untilMs === undefined || (nowMs !== undefined && nowMs >= untilMs)) return why;
  const until = untilWords(untilMs, nowMs, zone);
  return reason === 'allowance_used_up' ? `${LAYER_REASONS[reason]} until ${until}` : `${why}; tried again at ${until}`;
}
