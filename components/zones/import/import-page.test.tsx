import { within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { NewZone } from '#lib/api/watching/zones.ts';
import { showPage } from '#testing/shown-page.tsx';

const ring = [
  [8, 47],
  [8.1, 47],
  [8.1, 47.1],
  [8, 47.1],
];
const feature = (name: string, geometry: unknown) => ({ type: 'Feature', properties: { name }, geometry });

async function choose(name: string, content: string) {
  const sent: NewZone[] = [];
  const page = await showPage({
    answers: {
      'GET /api/zones': () => Response.json({ zones: [] }),
      'GET /api/destinations': () => Response.json({ destinations: [] }),
      'GET /api/alarms': () => Response.json({ alarms: [], next: '0' }),
      'POST /api/zones/import': (body) => {
        sent.push(body as NewZone);
        return Response.json({ error: { code: 'internal', message: 'no' }, request_id: 'a' }, { status: 500 });
      },
    },
  });
  const { screen, user } = page;
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  const picker = await screen.findByLabelText('File of zones: GeoJSON, KML, ED-269, ED-318 or OpenAir');
  expect(picker.getAttribute('accept')).toBe('.geojson,.geojsonl,.ndjson,.json,.kml,.xml,.txt,.openair,.air');
  await user.upload(picker, new File([content], name));
  return { ...page, sent };
}

test('an import lists what is left out and what it changed, before zones are saved', async () => {
  const file = {
    type: 'FeatureCollection',
    features: [feature('Bern', null), feature('Depot', { type: 'Polygon', coordinates: [ring] })],
  };
  const { screen, user, sent } = await choose('zones.geojson', JSON.stringify(file));
  expect(await screen.findByText('1 zone, shown on the map. Names are kept.')).toBeTruthy();
  expect(screen.getByText('Left out, so not watched: 1')).toBeTruthy();
  expect(screen.getByText('Feature 1 “Bern”: has no geometry')).toBeTruthy();
  expect(screen.getByText('Read otherwise than written: 1')).toBeTruthy();
  expect(screen.getByText(/^Feature 2 “Depot”: is not closed/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Import 1 zone' }));
  await expect.poll(() => sent[0]?.source?.words['lookout: changed']).toMatch(/^Feature 2 “Depot”: is not closed/);
});

test('a faulty file is answered by its errors, and imports nothing', async () => {
  const faulty = { type: 'Polygon', coordinates: [[...ring.slice(0, 3), [8, 95], ring[0]]] };
  const depot = feature('Depot', { type: 'Polygon', coordinates: [[...ring, ring[0]]] });
  const file = { type: 'FeatureCollection', features: [depot, feature('Yard', faulty)] };
  const { screen, user, sent } = await choose('faulty.geojson', JSON.stringify(file));
  const errors = await screen.findByText(/nothing was imported/);
  const listed = within(errors.closest('[role="alert"]') as HTMLElement).getAllByRole('listitem');
  expect(listed.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Feature 2 “Yard”.*: has the position 8, 95, which is no longitude and latitude/),
  ]);
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByRole('button', { name: 'Create zone' })).toBeTruthy();
  expect(screen.queryByTestId('zone-list')).toBeNull();
  expect(sent).toEqual([]);
});

test('an import without such content lists none', async () => {
  const file = feature('Depot', { type: 'Polygon', coordinates: [[...ring, ring[0]]] });
  const { screen } = await choose('zones.geojson', JSON.stringify(file));
  expect(await screen.findByText(/^1 zone, shown/)).toBeTruthy();
  expect(screen.queryByText(/^Left out/)).toBeNull();
  expect(screen.queryByText(/^Read otherwise/)).toBeNull();
});

test('one question covers all heights of a file that state no reference', async () => {
  const square = 'DP 47:00:00 N 008:00:00 E\nDP 47:00:00 N 009:00:00 E\nDP 48:00:00 N 009:00:00 E\n';
  const airspace = (name: string) => `AC D\nAN ${name}\nAL GND\nAH 2500ft\n${square}`;
  const { screen, user } = await choose('zones.txt', airspace('A') + airspace('B'));
  expect(await screen.findByText('These heights do not say from where they are measured.')).toBeTruthy();
  expect(screen.getByText('Line 4: 2500ft; Line 11: 2500ft')).toBeTruthy();
  await user.click(screen.getByLabelText(/above mean sea level/));
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText(/^2 zones, shown/)).toBeTruthy();
});
