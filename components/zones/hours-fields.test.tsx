import { cleanup, render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Hours } from '#lib/zones/zone.ts';
import { HoursFields } from './hours-fields.tsx';

const NOW_MS = Date.UTC(2026, 10, 28, 11, 4);

async function chooses(hours: Hours, stated: string | undefined): Promise<readonly Hours[]> {
  const { resolvedOptions } = Intl.DateTimeFormat.prototype;
  const zone = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockImplementation(function (
    this: Intl.DateTimeFormat,
  ) {
    return { ...resolvedOptions.call(this), timeZone: stated as string };
  });
  onTestFinished(() => {
    zone.mockRestore();
    cleanup();
  });
  const changes: Hours[] = [];
  render(<HoursFields hours={hours} nowMs={NOW_MS} problem={undefined} onChange={(change) => changes.push(change)} />);
  const screen = within(document.body);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: /^Hours/ }));
  await user.click(screen.getByRole('radio', { name: 'One span' }));
  return changes;
}

test.each([
  ['Etc/Unknown', 'UTC', '2026-11-28T11:04', '2026-11-28T19:04'],
  [undefined, 'UTC', '2026-11-28T11:04', '2026-11-28T19:04'],
  ['Asia/Calcutta', 'Asia/Calcutta', '2026-11-28T16:34', '2026-11-29T00:34'],
])('in a browser that states %s, one span begins now in %s', async (stated, time_zone, from, to) => {
  expect(await chooses(null, stated)).toEqual([{ time_zone, from, to }]);
});

test('one span after a half-typed zone begins in the zone of the browser', async () => {
  const weekly = [{ days: ['mon' as const], from: '08:00', to: '18:00' }];
  const [changed] = await chooses({ time_zone: 'Europe/Zur', weekly }, 'Europe/Zurich');
  expect(changed).toMatchObject({ time_zone: 'Europe/Zurich', from: '2026-11-28T12:04' });
});
