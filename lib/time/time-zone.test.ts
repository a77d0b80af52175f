import { expect, test } from 'vitest';
import { isTimeZone } from './time-zone.ts';

test.each(['UTC', 'Europe/Zurich', 'Asia/Kolkata', 'Asia/Calcutta', 'US/Pacific', 'GMT', 'Etc/GMT+1'])(
  '%s is a time zone',
  (name) => expect(isTimeZone(name)).toBe(true),
);

test.each(['', 'Etc/Unknown', '+01:00', '-0330', 'GMT+1', 'UTC+2', 'local', 'undefined', 'Europe/Nowhere', ' UTC'])(
  '“%s” is no time zone',
  (name) => expect(isTimeZone(name)).toBe(false),
);
