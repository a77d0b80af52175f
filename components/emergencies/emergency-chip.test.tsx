import { expect, test } from 'vitest';
import type { MapCommand } from '#lib/client/page/page-map.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Past } from '#testing/past-answers.ts';
import { recordsNow, showPage } from '#testing/shown-page.tsx';

const SIMULATED = { simulated: true, emergency_state: 'lifeguard' };
const TRAFFIC = [
  { simulated: true, altitude_m: 9000 },
  { simulated: true, altitude_m: 8000, emergency_state: 'unknown' },
  { ...SIMULATED, altitude_m: 500, longitude: 8.6 },
];

const rows = () => [...document.querySelectorAll<HTMLElement>('tr[data-ref]')];
const WORDS = /LIFEGUARD/;

async function showEmergencies(address = '', traffic: Parameters<typeof recordsNow>[0] = TRAFFIC, past?: Past) {
  const page = await showPage({ address, ...(past && { past }) });
  const { screen, lookout } = page;
  const commands: MapCommand[] = [];
  lookout.mapCommands.listen((command) => commands.push(command));
  page.receives(recordsNow(traffic));
  return {
    ...page,
    count: () => screen.queryByTestId('emergency-count')?.textContent,
    call: () => screen.getByTestId('emergency-alert').textContent,
    centred: () => commands.findLast(({ kind }) => kind === 'centre'),
  };
}

test('simulated emergencies are counted apart from real ones, and called only if that is switched on', async () => {
  const { screen, user, count, call, receives } = await showEmergencies();
  await expect.poll(count).toMatch(/^1 simulated emergency/);
  expect(call()).toBe('');
  await user.click(screen.getByRole('tab', { name: 'View' }));
  await user.click(await screen.findByRole('switch', { name: 'Call simulated emergencies' }));
  receives(recordsNow(TRAFFIC));
  await expect.poll(call).toMatch(/^Simulated emergency: .+, aircraft \w+\.$/);

  const real = { public_track_id: 'RX-A-00000000000000FF', emergency_state: 'general' };
  receives(recordsNow([...TRAFFIC, real]));
  await expect.poll(count).toMatch(/^1 emergency · 1 simulated/);
  expect(call()).toMatch(/^Emergency: general emergency, aircraft \w+\.$/);
});

test('the table begins with them by choice, in whatever order, and finds them by their word', async () => {
  const { screen, user } = await showEmergencies();
  await expect.poll(() => rows().length).toBe(3);
  expect(rows()[0]?.textContent).toMatch(WORDS);
  await user.click(screen.getByRole('button', { name: /^Altitude/ }));
  expect(rows()[0]?.textContent).toMatch(WORDS);
  await user.click(screen.getByRole('button', { name: 'Emergencies first' }));
  await expect.poll(() => rows()[0]?.textContent).not.toMatch(WORDS);
  expect(rows()[2]?.textContent).toMatch(WORDS);

  await user.type(screen.getByRole('searchbox', { name: 'Find a reference' }), 'emergency');
  await expect.poll(() => rows().length).toBe(1);
  expect(rows()[0]?.textContent).toMatch(WORDS);
});

test('E, or a click on the count, selects and centres the next one', async () => {
  const { screen, user, count, centred } = await showEmergencies('', [...TRAFFIC, { ...SIMULATED, longitude: 8.2 }]);
  const card = () => screen.queryByTestId('track-card')?.textContent;
  await expect.poll(count).toMatch(/^2 simulated emergencies/);
  await user.keyboard('e');
  await expect.poll(card).toMatch(/LIFEGUARD.*, as reported/);
  const first = centred();
  expect(first).toMatchObject({ lat: 46.9 });
  await expect.poll(count).toMatch(/· [12] of 2/);
  await user.keyboard('{Escape}');
  await expect.poll(card).toBeUndefined();
  await user.click(screen.getByTestId('emergency-count'));
  await expect.poll(card).toMatch(/LIFEGUARD.*, as reported/);
  await user.keyboard('e');
  const lonOf = (command: MapCommand | undefined) => (command?.kind === 'centre' ? command.lon : Number.NaN);
  await expect.poll(() => new Set([lonOf(first), lonOf(centred())])).toEqual(new Set([8.2, 8.6]));
});

test('E shows those that a filter hides, and goes there', async () => {
  const { user, count, centred, parameter } = await showEmergencies('?kind=drone&agl=..50');
  await expect.poll(count).toMatch(/^1 emergency hidden by a filter · Show anyway/);
  await user.keyboard('e');
  await expect.poll(count).toMatch(/^1 simulated emergency/);
  expect(centred()).toMatchObject({ lon: 8.6, lat: 46.9 });
  expect(parameter('emergency')).toBe('show');
});

test('without any, E says so', async () => {
  const { screen, user, count } = await showEmergencies('', [{}]);
  await expect.poll(() => rows().length).toBe(1);
  expect(count()).toBeUndefined();
  await user.keyboard('e');
  await expect
    .poll(() => screen.getByTestId('emergency-note').textContent)
    .toBe('No emergency among the tracks shown.');
});

test('a replay counts its own, and E goes to them', async () => {
  const endMs = Math.floor(Date.now() / MINUTE_MS - 2) * MINUTE_MS;
  const [from, at, received] = [10 * MINUTE_MS, 10_000, 15_000].map((agoMs) => new Date(endMs - agoMs).toISOString());
  const records = recordsNow([{ ...SIMULATED, longitude: 8.7, observed_at: received ?? '' }]);
  const address = `?layers=adsb&from=${from}&to=${new Date(endMs).toISOString()}&at=${at}`;
  const { user, count, centred } = await showEmergencies(address, [{}], { records });
  await expect.poll(count).toMatch(/^1 simulated emergency/);
  await user.keyboard('e');
  await expect.poll(centred).toMatchObject({ lon: 8.7, lat: 46.9 });
});
