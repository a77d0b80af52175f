import { expect, test } from 'vitest';
import type { StreetMapState } from '#lib/api/street-map.ts';
import { showPage } from '#testing/shown-page.tsx';
import { InstallStreetMap } from './street-map.tsx';

const SOURCE = 'https://build.protomaps.com/20261129.pmtiles';
const SIZE = {
  map: 'Streets 46.90 8.40 60 km',
  source: SOURCE,
  attribution: 'Protomaps © OpenStreetMap',
  bytes: 214_000_000,
  tiles: 9000,
  requests: 71,
  max_zoom: 15,
};
const IDLE: StreetMapState = { source: SOURCE, state: 'idle', size: null, bytes_done: 0, problem: null };

async function shown(first: StreetMapState) {
  let state = first;
  const asked: unknown[] = [];
  const page = await showPage({
    map: <InstallStreetMap />,
    answers: {
      'GET /api/admin/street-map': () => Response.json(state),
      'POST /api/admin/street-map': (body) => {
        asked.push(body);
        if ((body as { fetch: boolean }).fetch)
          state = { ...IDLE, state: 'fetching', size: SIZE, bytes_done: 43_000_000 };
        return Response.json(SIZE);
      },
      'DELETE /api/admin/street-map': () => {
        state = { ...IDLE, state: 'cancelled', size: SIZE };
        return new Response(null, { status: 204 });
      },
    },
  });
  return { ...page, asked };
}

test('says size, source and licence before it fetches the map around home, shows how far it is, and cancels', async () => {
  const { screen, user, asked } = await shown(IDLE);
  const check = await screen.findByRole('button', { name: 'Check size' });
  expect(screen.queryByRole('button', { name: /^Fetch/ })).toBeNull();
  expect(asked).toEqual([]);
  await user.click(check);
  const size = await screen.findByTestId('street-map-size');
  expect(size.textContent).toMatch(/214 MB.*71 requests.*20261129\.pmtiles.*OpenStreetMap \(ODbL 1\.0\)/);
  await user.click(screen.getByRole('button', { name: 'Fetch 214 MB' }));
  const progress = await screen.findByRole('progressbar', { name: 'Street map' });
  expect(progress.getAttribute('value')).toBe('43000000');
  expect(screen.getByTestId('street-map-progress').textContent).toContain('43 MB of 214 MB');
  const { lat, lon } = { lat: expect.any(Number), lon: expect.any(Number) };
  expect(asked).toEqual([
    { lat, lon, radius_km: 60, fetch: false },
    { lat, lon, radius_km: 60, fetch: true },
  ]);
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await screen.findByText('Cancelled. Nothing was kept.');
});

test('shows a failure in its words, and the command alone where the source is off', async () => {
  const failed = await shown({
    ...IDLE,
    state: 'failed',
    problem: 'The disk of /data is full; nothing of the map was kept.',
  });
  expect((await failed.screen.findByText(/The disk of \/data is full/)).getAttribute('role')).toBe('alert');
  failed.closes();
  const off = await shown({ ...IDLE, source: null });
  await off.screen.findByText(/\.\/map fetch/);
  expect(off.screen.queryByRole('button', { name: 'Check size' })).toBeNull();
});
