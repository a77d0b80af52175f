import { expect, test, vi } from 'vitest';
import { browserTimeZone } from './time-zone.ts';

test.each([
  ['Europe/Zurich', 'Europe/Zurich'],
  ['Asia/Calcutta', 'Asia/Calcutta'],
  ['Etc/Unknown', 'UTC'],
  ['+01:00', 'UTC'],
  ['', 'UTC'],
  [undefined, 'UTC'],
])('a browser that states %s is in %s', (stated, zone) => {
  const { resolvedOptions } = Intl.DateTimeFormat.prototype;
  const stub = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockImplementation(function (
    this: Intl.DateTimeFormat,
  ) {
    return { ...resolvedOptions.call(this), timeZone: stated as string };
  });
  try {
    expect(browserTimeZone()).toBe(zone);
  } finally {
    stub.mockRestore();
  }
});
