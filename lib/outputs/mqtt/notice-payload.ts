import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Notice } from '../notice/notice.ts';
import { noticeText } from '../notice/notice-text.ts';

/** JSON. `id` is the same over all tries. */
export function noticePayload(notice: Notice, now: UpstreamInstant): string {
  const { id, type, at, alarms, more, link } = notice;
  return JSON.stringify({
    id,
    type,
    at: formatInstant(at),
    trial: type === 'trial',
    simulated: alarms.some(({ simulated }) => simulated),
    test: alarms.some(({ test }) => test),
    ...noticeText(notice, now),
    alarms,
    more,
    link,
  });
}
