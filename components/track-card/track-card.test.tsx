import { within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { incidentOf } from '#lib/client/incidents/incident.fixture.ts';
import { recordsNow, showPage } from '#testing/shown-page.tsx';

const BALLOONS = [
  { longitude: 8.2, altitude_m: 2000 },
  { longitude: 8.4, latitude: 46.5, speed_mps: 111 },
  { longitude: 8.6 },
];
const REFS = ['RX-A-0000000000000000', 'RX-A-0000000000000001', 'RX-A-0000000000000002'];

async function showTracks(address = '') {
  const page = await showPage({ address });
  const { screen, user, parameter } = page;
  page.receives(recordsNow(BALLOONS));
  await expect.poll(() => document.querySelectorAll('tr[data-ref]').length).toBe(3);
  const row = (index: number) => document.querySelector(`tr[data-ref="${REFS[index]}"]`) as HTMLElement;
  const list = () => screen.queryByTestId('selected-list');
  return {
    ...page,
    row,
    list,
    clicks: (index: number) => user.click(row(index)),
    clicksWithShift: async (index: number) => {
      await user.keyboard('{Shift>}');
      await user.click(row(index));
      await user.keyboard('{/Shift}');
    },
    reference: () => screen.queryByTestId('track-reference')?.title,
    field: (label: string) => screen.getByText(label, { selector: 'dt' }).nextElementSibling?.textContent,
    heading: () => list()?.querySelector('h2')?.textContent,
    selectedRows: () =>
      [...document.querySelectorAll<HTMLElement>('tr[aria-selected="true"]')]
        .map(({ dataset }) => dataset.ref ?? '')
        .sort((one, other) => one.localeCompare(other)),
    linked: () => parameter('sel')?.split(',') ?? [],
  };
}

test('a selected track is the same in table, card and link; Esc clears it', async () => {
  const { user, clicks, reference, selectedRows, parameter } = await showTracks();
  await clicks(1);
  await expect.poll(reference).toBe(REFS[1]);
  expect(selectedRows()).toEqual([REFS[1]]);
  expect(parameter('sel')).toBe(REFS[1]);
  await user.keyboard('{Escape}');
  await expect.poll(reference).toBeUndefined();
  expect(selectedRows()).toEqual([]);
  expect(parameter('sel')).toBeNull();
});

test('the card shows every field, unreported ones as not reported and never as 0, and the new position when one is received', async () => {
  const { clicks, field, reference, receives } = await showTracks();
  await clicks(0);
  await expect.poll(reference).toBe(REFS[0]);
  expect(field('Altitude (reference not stated)')).toMatch(/^2.?000 m$/);
  for (const label of ['Height above ground, estimated', 'Ground speed', 'Heading'])
    expect(field(label)).toBe('not reported');
  expect(field('Position')).toBe('46.90000, 8.20000');
  expect(field('Observed')).toMatch(/\dZ$/);

  const later = new Date(Date.now() + 1000).toISOString();
  receives(recordsNow([{ longitude: 8.3, observed_at: later }]));
  await expect.poll(() => field('Position')).toBe('46.90000, 8.30000');
  expect(reference()).toBe(REFS[0]);
});

test('Shift and a click on a row add it, and once more remove it; the list opens the card of each', async () => {
  const { user, clicks, clicksWithShift, list, heading, reference, linked, selectedRows } = await showTracks();
  await clicks(0);
  expect(list()).toBeNull();
  await clicksWithShift(1);
  await expect.poll(heading).toBe('2 selected');
  expect(reference()).toBe(REFS[0]);
  expect(selectedRows()).toEqual([REFS[0], REFS[1]]);
  await clicksWithShift(2);
  await expect.poll(heading).toBe('3 selected');
  await clicksWithShift(2);
  await expect.poll(heading).toBe('2 selected');

  await user.click(list()?.querySelector('[aria-expanded="false"]') as HTMLElement);
  await expect.poll(reference).toBe(REFS[1]);
  expect(linked()).toEqual([REFS[1], REFS[0]]);
});

test('isolating makes the other rows faint', async () => {
  const { user, row, clicks } = await showTracks();
  const faint = () => [0, 1, 2].map((index) => row(index).dataset.faint);
  await clicks(0);
  await user.keyboard('i');
  await expect.poll(faint).toEqual(['false', 'true', 'true']);
  await user.keyboard('i');
  await expect.poll(faint).toEqual(['false', 'false', 'false']);
});

test('rows of the grid are added and removed by keyboard; Esc clears all', async () => {
  const { screen, user, clicks, clicksWithShift, heading, selectedRows, linked } = await showTracks();
  const grid = screen.getByRole('grid');
  expect(grid.getAttribute('aria-multiselectable')).toBe('true');
  await clicks(0);
  await clicksWithShift(1);
  grid.focus();
  await user.keyboard('{Shift>}{Enter}{/Shift}');
  await expect.poll(heading).toBeUndefined();
  await user.keyboard('{Shift>} {/Shift}');
  await expect.poll(heading).toBe('2 selected');
  await user.click(screen.getAllByRole('button', { name: /^Remove .* from the selection$/ }).at(-1) as HTMLElement);
  await expect.poll(() => selectedRows().length).toBe(1);
  await user.keyboard('{Escape}');
  await expect.poll(selectedRows).toEqual([]);
  expect(linked()).toEqual([]);
});

test('a link brings the selection back, and says what is not received', async () => {
  const absent = 'RX-A-00000000000000FF';
  const { screen, list, heading, reference, selectedRows } = await showTracks(`?sel=${REFS[2]},${REFS[0]},${absent}`);
  await expect.poll(heading).toBe('3 selected');
  expect(list()?.textContent).toContain('Not received since it was selected');
  expect(reference()).toBe(REFS[2]);
  expect(selectedRows()).toEqual([REFS[0], REFS[2]]);
  expect(screen.queryByTestId('notice-ignored')).toBeNull();
});

test('the card of an alarmed track has the alarm, acknowledges it, and opens an incident from it, or adds it to the open one', async () => {
  const alarm = alarmOf(1, { layer: 'adsb', track: 'RX-A-0000000000000000', simulated: true });
  const sent: string[] = [];
  const post = (what: string) => () => {
    sent.push(what);
    return new Response(null, { status: 204 });
  };
  const open = incidentOf(14);
  const show = async (incidents: (typeof open)[]) => {
    let number = 0;
    const page = await showPage({
      address: `?sel=${REFS[0]}`,
      answers: {
        'GET /api/zones': () => Response.json({ zones: [], unshared: false }),
        'GET /api/incidents': () => Response.json({ incidents }),
        'GET /api/alarms': () =>
          ++number > 3
            ? new Promise<Response>(() => undefined)
            : Response.json({ alarms: [alarm], next: String(number) }),
        [`POST /api/alarms/${alarm.id}/acknowledge`]: post('acknowledge'),
        [`POST /api/incidents/${open.id}/alarms`]: post('add'),
      },
    });
    page.receives(recordsNow(BALLOONS));
    return { ...page, card: within(await page.screen.findByRole('region', { name: 'Alarms of the track' })) };
  };
  const { user, card, screen, closes, lookout } = await show([]);
  await user.click(card.getByRole('button', { name: 'Acknowledge' }));
  await expect.poll(() => sent).toEqual(['acknowledge']);
  await user.click(card.getByRole('button', { name: 'New incident' }));
  const title = await within(await screen.findByRole('dialog')).findByLabelText<HTMLInputElement>('Title');
  expect(title.value).toMatch(/^SIM Aircraft/);
  await user.keyboard('{Escape}');
  await user.click(card.getByRole('button', { name: /in Runway 14\/32/ }));
  expect(lookout.zones.openAlarm.get()).toBe(alarm.id);
  closes();
  const second = await show([open]);
  await second.user.click(second.card.getByRole('button', { name: 'Add to 2026-014' }));
  const dialog = within(await second.screen.findByRole('dialog'));
  await second.user.click(await dialog.findByRole('button', { name: 'Add to 2026-014' }));
  await expect.poll(() => sent).toEqual(['acknowledge', 'add']);
});
