import { type ClockZone, clockText, dateText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';

/**
 * The replayed moment: always in UTC, in local time too where that is shown, with its day where that is not today, and how
 * long ago it was. `2026-11-20 10:37:42Z · 1 d ago`
 * @param nowMs `undefined` where now is not known yet
 */
export function replayTimeText(shownMs: number, nowMs: number | undefined, zone: ClockZone): string {
  const isToday = nowMs !== undefined && dateText(shownMs, 'utc') === dateText(nowMs, 'utc');
  const utc = isToday ? clockText(shownMs, 'utc') : `${dateText(shownMs, 'utc')} ${clockText(shownMs, 'utc')}`;
  const local = zone === 'local' ? [clockText(shownMs, 'local')] : [];
  const ago = nowMs === undefined ? [] : [`${durationText(nowMs - shownMs)} ago`];
  return [utc, ...local, ...ago].join(' · ');
}
