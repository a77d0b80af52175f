import { isTimeZone } from '#lib/time/time-zone.ts';

/** IANA name. UTC in a browser that does not know its own: some give `Etc/Unknown`, an offset or nothing. */
export function browserTimeZone(): string {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return name !== undefined && isTimeZone(name) ? name : 'UTC';
}
