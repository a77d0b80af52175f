import { type ClockZone, clockWords, dateWords } from '#lib/model/clock-words.ts';
import { durationWords } from '#lib/model/duration-words.ts';

/**
 * The replayed moment: always in UTC, in local time too where that is shown, with its day where that is not today, and how
 * long ago it was. `2026-11-20 10:37:42Z · 1 d ago`
 * @param nowMs `undefined` where now is not known yet
 */
export function replayTimeWords(shownMs: number, nowMs: number | undefined, zone: ClockZone): string {
  const isToday = nowMs !== undefined && dateWords(shownMs, 'utc') === dateWords(nowMs, 'utc');
  const utc = isToday ? clockWords(shownMs, 'utc') : `${dateWords(shownMs, 'utc')} ${clockWords(shownMs, 'utc')}`;
  const local = zone === 'local' ? [clockWords(shownMs, 'local')] : [];
  const ago = nowMs === undefined ? [] : [`${durationWords(nowMs - shownMs)} ago`];
  return [utc, ...local, ...ago].join(' · ');
}
