import { dateText, dateTimeText } from '#lib/model/clock-text.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';

/** `2026-11-27 13:00:00 Europe/Zurich (12:00:00Z)`; the date of UTC where it differs. @param timeZone IANA name */
export function momentText(at: UpstreamInstant, timeZone: string): string {
  const utc = dateTimeText(at, 'utc');
  if (timeZone === 'UTC') return utc;
  const { year, month, day, hour, minute, second } = partsAt(at, timeZone);
  const date = `${year}-${month}-${day}`;
  const other = date === dateText(at, 'utc') ? utc.slice(11) : utc;
  return `${date} ${hour}:${minute}:${second} ${timeZone} (${other})`;
}

function partsAt(at: UpstreamInstant, timeZone: string): Readonly<Record<string, string>> {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return Object.fromEntries(format.formatToParts(epochMs(at)).map(({ type, value }) => [type, value]));
}
