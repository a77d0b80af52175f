import { type ClockZone, clockText, dateText, dateTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/**
 * The time on display in a replay: always in UTC, also in local time if the operator chose that, with the date if it is not today,
 * and how long ago it was. `2026-11-20 10:37:42Z · 1 d ago`
 * @param now `undefined` while unknown
 */
export function replayTimeText(shownAt: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const isToday = now !== undefined && dateText(shownAt, 'utc') === dateText(now, 'utc');
  const utc = isToday ? clockText(shownAt, 'utc') : dateTimeText(shownAt, 'utc');
  const local = zone === 'local' ? [clockText(shownAt, 'local')] : [];
  const ago = now === undefined ? [] : [`${durationText(msBetween(shownAt, now))} ago`];
  return [utc, ...local, ...ago].join(' · ');
}
