import { type ClockZone, clockText, dateText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/**
 * The replayed moment: always in UTC, in local time too where that is shown, with its day where that is not today, and how
 * long ago it was. `2026-11-20 10:37:42Z · 1 d ago`
 * @param now `undefined` where now is not known yet
 */
export function replayTimeText(shownAt: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const isToday = now !== undefined && dateText(shownAt, 'utc') === dateText(now, 'utc');
  const utc = isToday ? clockText(shownAt, 'utc') : `${dateText(shownAt, 'utc')} ${clockText(shownAt, 'utc')}`;
  const local = zone === 'local' ? [clockText(shownAt, 'local')] : [];
  const ago = now === undefined ? [] : [`${durationText(msBetween(shownAt, now))} ago`];
  return [utc, ...local, ...ago].join(' · ');
}
