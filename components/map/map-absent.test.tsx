import { act, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { latSpanDeg } from '#lib/geo/bbox.ts';
import { recordsNow, showPage } from '#testing/shown-page.tsx';
import { MapAbsent } from './map-absent.tsx';

const page = (address = '?view=46.9,8.4,8') =>
  showPage({ address, map: <MapAbsent absence={{ kind: 'no-webgl2' }} /> });

test('without WebGL2 the page says why it has no map, and within which area the table is', async () => {
  const { screen, lookout } = await page();
  const absent = screen.getByTestId('map-absent');
  expect(absent.textContent).toContain('This browser draws no WebGL2, which the map needs.');
  expect(absent.textContent).toContain('Switch on hardware acceleration');
  expect(screen.getByTestId('absent-area').textContent).toMatch(
    /an area of about \d+ × \d+ km around 46\.90000, 8\.40000/,
  );
  const { visible } = lookout.mapView.get();
  expect(visible).toMatchObject({ west: expect.closeTo(7.3, 1), east: expect.closeTo(9.5, 1) });
});

test('zoom, home, a found place and a box change the area, as they move a map', async () => {
  const { lookout, user } = await page();
  const { mapCommands, mapView } = lookout;
  const span = () => latSpanDeg(mapView.get().visible ?? { west: 0, south: 0, east: 0, north: 0 });
  const before = span();
  act(() => mapCommands.run({ kind: 'zoom', by: -1 }));
  expect(span() / before).toBeCloseTo(2, 1);
  act(() => mapCommands.run({ kind: 'go-to', lon: 179.9, lat: -17, zoom: 9, name: 'Fiji' }));
  expect(mapView.get()).toMatchObject({ lon: 179.9, lat: -17, zoom: 9 });
  expect(mapView.get().visible?.west).toBeGreaterThan(mapView.get().visible?.east ?? 180);
  expect(lookout.markedPlace.get()).toMatchObject({ name: 'Fiji' });
  act(() => mapCommands.run({ kind: 'show-box', bbox: { west: 8, south: 46, east: 9, north: 47 } }));
  expect(mapView.get().visible?.west).toBeLessThan(8);
  expect(mapView.get().visible?.north).toBeGreaterThan(47);
  await user.keyboard('h');
  await waitFor(() => expect(mapView.get()).toMatchObject({ lon: 8.4, lat: 46.9, zoom: 8 }));
});

test('drawing and measuring are not offered, and the table, the track and the link work', async () => {
  const { screen, receives, user, parameter, lookout } = await page();
  receives(recordsNow([{}, {}]));
  const rows = () => document.querySelectorAll<HTMLElement>('tr[data-ref]');
  await expect.poll(() => rows().length).toBe(2);
  await user.click(rows()[0] as HTMLElement);
  await screen.findByTestId('track-card');
  await waitFor(() => expect(parameter('view')).toBe('46.9,8.4,8'));
  const [ref = 'none'] = lookout.display.summary().selection.refs;
  expect(decodeURIComponent(window.location.search)).toContain(ref);
  expect(screen.queryByRole('button', { name: /Draw an area|Measure distance|Labels/ })).toBeNull();
  await user.keyboard('m');
  expect(lookout.measuring.state.get().tool).toBeUndefined();
  expect(screen.getByRole('button', { name: /Zoom in/ })).toBeTruthy();
});
