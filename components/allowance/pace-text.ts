import { groupedNumber } from '#lib/model/grouped-number.ts';
import { NOT_KNOWN_YET } from './allowance-text.ts';

/** @param perMinute requests a minute at which the day's allowance lasts until midnight UTC */
export function paceText(perMinute: number | undefined): string {
  if (perMinute === undefined) return NOT_KNOWN_YET;
  if (perMinute === 0) return 'no requests';
  if (perMinute >= 10) return `about ${groupedNumber(Math.round(perMinute))} requests a minute`;
  const tenths = Math.round(perMinute * 10) / 10;
  if (tenths >= 1) return `about ${tenths} ${tenths === 1 ? 'request' : 'requests'} a minute`;
  const perHour = Math.round(perMinute * 60);
  if (perHour < 1) return 'less than 1 request an hour';
  return `about ${perHour} ${perHour === 1 ? 'request' : 'requests'} an hour`;
}
