import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { HoursAnswer } from '#lib/api/receivers/receiver-hours.ts';
import { StationHoursSection } from './hours-section.tsx';
import { type HourFacts, reportOf } from './report.fixture.ts';

function show(answer: (hours: string) => Partial<HoursAnswer>) {
  const asked: string[] = [];
  globalThis.fetch = async (address) => {
    const hours = new URL(String(address), 'http://lookout.example').searchParams.get('hours') ?? '';
    asked.push(hours);
    return Response.json({ as_of: '2026-11-27T12:30:00.000Z', report: null, failure: null, ...answer(hours) });
  };
  onTestFinished(cleanup);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <StationHoursSection zone="utc" />
    </QueryClientProvider>,
  );
  const screen = within(document.body);
  const station = async (id: string) => within(await screen.findByRole('listitem', { name: `Hours of ${id}` }));
  return { screen, asked, station, user: userEvent.setup() };
}

const DOWN: HourFacts = { downS: 3600 };
const quiet = (hours: number): HourFacts[] => Array.from({ length: hours }, () => ({ silentS: 60 }));
const unrecorded = (hours: number): HourFacts[] => Array.from({ length: hours });

test('shows what each station received, connected time without positions, and time that is not known, each by its own look', async () => {
  const report = reportOf({
    roof: [...unrecorded(20), DOWN, ...quiet(1), { positions: 1200, alone: 30 }, { recordedS: 1800, positions: 600 }],
    hill: [...unrecorded(23), { recordedS: 0 }],
  });
  const { station, screen } = show(() => ({ report }));
  const roof = await station('roof');
  expect(roof.getByRole('img').getAttribute('aria-label')).toBe(
    'roof, last 24 hours: 2 hours with positions, 1 hour connected and nothing received, 21 hours not recorded or not connected.',
  );
  const facts = (of: typeof roof) => of.getAllByRole('definition').map((value) => value.textContent);
  expect(facts(roof)).toEqual(['1\u202f800', '30', '60 s', '1 h', '20 h', '+0.30 s, spread 0.04 s']);
  expect(roof.getByRole('img').querySelectorAll('path')).toHaveLength(2);
  const hill = await station('hill');
  expect(facts(hill).slice(0, 1)).toEqual(['0']);
  expect(hill.getByRole('img').querySelectorAll('path')).toHaveLength(0);
  expect(screen.getByRole('status').textContent).toBe('Last 24 hours: 2 receivers.');
});

test('an hour without a record is never a 0, in the table and in the file', async () => {
  const report = reportOf({
    '-roof': [...unrecorded(22), { positions: 0 }, { recordedS: 1800, positions: 7, alone: 7 }],
  });
  const { station, screen, user } = show(() => ({ report }));
  const roof = await station('-roof');
  await user.click(screen.getByRole('button', { name: 'Tables' }));
  const rows = roof.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows).toHaveLength(25);
  expect(rows[1]).toEqual([
    '2026-11-26 13:00',
    'not recorded',
    'not recorded',
    'not recorded',
    'not recorded',
    '1 h',
    'not known',
  ]);
  expect(rows[23]?.slice(0, 3)).toEqual(['2026-11-27 11:00', '0', '0']);
  expect(rows[24]).toEqual(['2026-11-27 12:00', '7', '7', '0 s', '0 s', '0 s', '+0.30 s, spread 0.04 s']);

  const saved: Blob[] = [];
  const make = vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved.push(blob as Blob);
    return 'blob:saved';
  });
  onTestFinished(() => make.mockRestore());
  await user.click(screen.getByRole('button', { name: 'Save as CSV' }));
  const lines = (await saved[0]!.text()).split('\r\n');
  expect(lines[0]).toBe(
    'station,hour_start,recorded_s,not_connected_s,silent_s,positions,alone,clock_error_ms,clock_spread_ms,simulated',
  );
  expect(lines[1]).toBe("'-roof,2026-11-26T13:00:00.000Z,,,,,,,,");
  expect(lines[23]).toBe("'-roof,2026-11-27T11:00:00.000Z,3600,0,0,0,0,,,false");
});

test('reads another span when it is chosen, with a column for each day', async () => {
  const { asked, station, screen, user } = show((hours) => ({ report: reportOf({ roof: quiet(Number(hours)) }) }));
  await station('roof');
  await user.click(screen.getByRole('radio', { name: '30 days' }));
  await expect.poll(() => screen.getByRole('status').textContent).toBe('Last 30 days: 1 receiver.');
  expect(asked).toEqual(['24', '720']);
  const roof = await station('roof');
  expect(roof.getByRole('img').getAttribute('viewBox')).toBe('0 0 31 24');
  await user.click(screen.getByRole('button', { name: 'Tables' }));
  expect(roof.getAllByRole('row')).toHaveLength(32);
});

test('reports a record that cannot be read, and one that is not stored', async () => {
  const unread = show(() => ({ failure: 'not_running' }));
  expect((await unread.screen.findByRole('alert')).textContent).toContain('not running');
  cleanup();
  const full = show(() => ({ report: { ...reportOf({ roof: quiet(24) }), problem: 'disk_full' } }));
  expect((await full.screen.findByRole('alert')).textContent).toContain('the disk is full');
  cleanup();
  const empty = show(() => ({ report: reportOf({}) }));
  expect(await empty.screen.findByText('No hour of this span was recorded.')).toBeTruthy();
});
