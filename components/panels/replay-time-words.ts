import { type ClockZone, clockWords, dateWords } from '#lib/model/clock-words.ts';
import { durationWords } from '#lib/model/duration-words.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/**
 * The replayed moment: always in UTC, in local time too where that is shown, with its day where that is not today, and how
 * long ago it was. `2026-11-20 10:37:42Z · 1 d ago`
 * @param now `undefined` where now is not known yet
 */
export function replayTimeWords(shownAt: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const isToday = now !== undefined && dateWords(shownAt, 'utc') === dateWords(now, 'utc');
  const utc = isToday ? clockWords(shownAt, 'utc') : `${dateWords(shownAt, 'utc')} ${clockWords(shownAt, 'utc')}`;
  const local = zone === 'local' ? [clockWords(shownAt, 'local')] : [];
  const ago = now === undefined ? [] : [`${durationWords(msBetween(shownAt, now))} ago`];
  return [utc, ...local, ...ago].join(' · ');
}
