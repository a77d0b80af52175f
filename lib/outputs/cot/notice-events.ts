import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Notice } from '../notice/notice.ts';
import { noticeText } from '../notice/notice-text.ts';
import { alarmEvent, noticeEvent } from './alarm-event.ts';

/** One event for each listed alarm, and one for what is not listed. @param at when they are sent */
export function noticeEvents(notice: Notice, at: UpstreamInstant): string {
  const { id, type, alarms, more } = notice;
  const ofAlarms = alarms.map((alarm, place) => {
    const ofType = type === 'summary' ? (alarm.state === 'ended' ? 'ended' : 'opened') : type;
    const link = place === 0 ? notice.link : null;
    const alone: Notice = { ...notice, type: ofType, alarms: [alarm], more: 0, zones: 1, link };
    return alarmEvent(alarm, { ...noticeText(alone, at), at }, notice.zoneCentres.get(alarm.zone.id));
  });
  const isListed = more === 0 && alarms.length > 0;
  return [...ofAlarms, isListed ? '' : noticeEvent(id, { ...noticeText(notice, at), at })].join('');
}
