import { act, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Incident } from '#lib/api/watching/incidents.ts';
import type { SightingCheck } from '#lib/api/watching/sightings.ts';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { incidentOf, noteOf } from '#lib/client/incidents/incident.fixture.ts';
import { pricedZone, zoneOf } from '#lib/client/zones/zone.fixture.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type PageSetting, recordsNow, showPage } from '#testing/shown-page.tsx';

const BO = { id: 'bo', name: 'bo', role: 'operator' } as const;
const VIC = { id: 'vic', name: 'vic', role: 'viewer' } as const;
const RUNWAY = zoneOf(1, { id: alarmOf(1).zone.id, name: 'Runway 14/32', shared: true });
const SIGHT = {
  track: 'rid-0-000000000018C62A',
  layer: 'rid',
  at: new Date(Math.floor(Date.now() / SECOND_MS) * SECOND_MS - 600 * SECOND_MS).toISOString(),
  bearing_deg: 47,
  off_deg: 2.04,
  distance_m: 1400,
  elevation_deg: null,
  simulated: true,
  test: false,
} as const;
const CHECK: SightingCheck = {
  fits: [SIGHT],
  fits_count: 1,
  nearest_miss: { ...SIGHT, track: 'A', off_deg: 31, simulated: false },
  sky: [{ body: 'Venus', azimuth_deg: 44, altitude_deg: 12, off_deg: 1 }],
  not_watched: [{ from: SIGHT.at, to: SIGHT.at, layer: 'adsb', reason: 'receivers_lost' }],
  range_m: 10_000,
  requests: 0,
};

async function showDesk(incidents: Incident[], setting: PageSetting = {}) {
  const sent: [route: string, body: unknown][] = [];
  const made = incidentOf(99);
  const keeps = (route: string, answer: () => Response) => ({
    [route]: (body: unknown) => {
      sent.push([route, body]);
      return answer();
    },
  });
  const empty = () => new Response(null, { status: 204 });
  const stored = () => Response.json({ note: noteOf(1) }, { status: 201 });
  const page = await showPage({
    operator: BO,
    ...setting,
    answers: {
      'GET /api/incidents': () => Response.json({ incidents }),
      'GET /api/zones': () => Response.json({ zones: [pricedZone(RUNWAY)], unshared: false }),
      ...keeps('POST /api/incidents', () => {
        incidents.push(made);
        return Response.json({ incident: made }, { status: 201 });
      }),
      ...keeps('POST /api/sightings/check', () => Response.json(CHECK)),
      ...Object.assign(
        {},
        ...[...incidents, made].flatMap(({ id }) =>
          ['notes', 'alarms', 'tracks', 'sightings'].map((what) =>
            keeps(`POST /api/incidents/${id}/${what}`, what === 'notes' || what === 'sightings' ? stored : empty),
          ),
        ),
      ),
      ...setting.answers,
    },
  });
  const { screen, user } = page;
  return {
    ...page,
    sent,
    chip: () => screen.queryByTestId('chip-incidents'),
    dialog: async () => within(await screen.findByRole('dialog')),
    clicks: async (name: string | RegExp) => user.click(await screen.findByRole('button', { name })),
    field: (name: string | RegExp) => screen.findByLabelText(name),
  };
}

test('the chip names the open incident, and leads to it; viewers see it too', async () => {
  const began = new Date(Date.now() - 12.5 * 60 * SECOND_MS).toISOString();
  const { chip, receives } = await showDesk([incidentOf(14, { from: began }), incidentOf(13, { state: 'closed' })], {
    operator: VIC,
  });
  receives(recordsNow([{}]));
  await expect.poll(() => chip()?.getAttribute('aria-label')).toBe('Open incident 2026-014 · Drone near 14 · 12 min');
  expect(chip()?.getAttribute('href')).toBe(`/incidents/${incidentOf(14).id}`);
});

test('several open incidents are counted, and none shows no chip', async () => {
  const { chip } = await showDesk([incidentOf(15), incidentOf(14)]);
  await expect.poll(() => chip()?.getAttribute('aria-label')).toBe('2 open incidents');
  expect(chip()?.getAttribute('href')).toBe('/incidents');
});

test('without an open incident there is no chip, and N leads to a new one', async () => {
  const { chip, user, screen, dialog } = await showDesk([incidentOf(13, { state: 'sealed' })]);
  await user.keyboard('n');
  await screen.findByText('No incident is open.');
  expect(chip()).toBeNull();
  await user.click((await dialog()).getByRole('button', { name: 'New incident' }));
  await screen.findByLabelText('Title');
});

test('N writes a note with the marked place; Ctrl+Enter saves it in the incident that was chosen', async () => {
  const { user, lookout, sent, field, screen, chip } = await showDesk([incidentOf(15), incidentOf(14)]);
  await expect.poll(chip).not.toBeNull();
  act(() => lookout.markedPlace.put({ lon: 8.55, lat: 47.45 }));
  await user.keyboard('n');
  const text = await field('Note');
  expect(document.activeElement).toBe(text);
  await user.selectOptions(await field('Incident'), incidentOf(14).id);
  await user.selectOptions(await field('Kind'), 'decision');
  await user.type(text, 'Runway closed');
  await user.keyboard('{Control>}{Enter}{/Control}');
  await expect.poll(() => sent).toHaveLength(1);
  expect(sent[0]).toEqual([
    `POST /api/incidents/${incidentOf(14).id}/notes`,
    { kind: 'decision', text: 'Runway closed', at: expect.any(String), place: [8.55, 47.45], corrects: null },
  ]);
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
});

test('a viewer writes nothing, by key or button', async () => {
  const { user, screen, chip } = await showDesk([incidentOf(14)], { operator: VIC });
  await expect.poll(chip).not.toBeNull();
  expect(screen.queryByRole('button', { name: 'Note on the incident' })).toBeNull();
  await user.keyboard('n');
  await screen.findByText('Only operators write in incidents.');
  expect(screen.queryByLabelText('Note')).toBeNull();
});

test('an alarm opens an incident of its zone, and joins an open one', async () => {
  const alarms = {
    'GET /api/alarms': () => Response.json({ alarms: [alarmOf(1)], next: '1' }),
    'GET /api/alarms/deliveries': () => Response.json({ deliveries: [] }),
  };
  const { sent, clicks, field, screen, user } = await showDesk([], { answers: alarms });
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  await user.click(await screen.findByRole('radio', { name: /^Alarms/ }));
  await clicks(/^Drone 00001 in Runway 14\/32/);
  await user.click(
    (await screen.findAllByRole('button', { name: 'New incident' })).find(
      (each) => each.textContent === 'New incident',
    ) as HTMLElement,
  );
  expect(await field('Title')).toHaveProperty('value', 'Drone 00001 in Runway 14/32');
  await clicks('Open incident');
  await screen.findByText(/On the map, N writes a note/);
  expect(screen.getByRole('link', { name: 'Go to 2026-099' }).getAttribute('href')).toBe(
    `/incidents/${incidentOf(99).id}`,
  );
  expect(sent).toEqual([
    [
      'POST /api/incidents',
      {
        title: 'Drone 00001 in Runway 14/32',
        from: '2026-11-27T11:55:00.000Z',
        to: null,
        area: { zone: RUNWAY.id },
        layers: ['rid', 'adsb'],
      },
    ],
  ]);
  await clicks('Stay on the map');
  await clicks('Add to incident');
  await user.type(await field('Remark'), 'seen by the tower');
  await clicks('Add to 2026-099');
  await expect
    .poll(() => sent[1])
    .toEqual([
      `POST /api/incidents/${incidentOf(99).id}/alarms`,
      { alarms: [alarmOf(1).id], remark: 'seen by the tower' },
    ]);
});

test('a track opens an incident around it by key, in which it is pinned', async () => {
  const { sent, clicks, receives, lookout, user, screen } = await showDesk([]);
  const [record] = recordsNow([{}]);
  receives(record ? [record] : []);
  act(() => lookout.display.select(record?.public_track_id));
  await user.keyboard('o');
  await clicks('Open incident');
  await screen.findByText(/On the map, N writes a note/);
  expect(sent.map(([route]) => route)).toEqual([
    'POST /api/incidents',
    `POST /api/incidents/${incidentOf(99).id}/tracks`,
  ]);
  expect(sent[0]?.[1]).toMatchObject({ area: { type: 'Circle', centre: [8.4, 46.9], radius_m: 2000 } });
  expect(sent[1]?.[1]).toEqual({ tracks: [record?.public_track_id], remark: '' });
});

test('a sighting is checked along the measured line; a fit opens the replay at its second, with the track selected', async () => {
  const { sent, clicks, field, screen, lookout, user, chip } = await showDesk([incidentOf(14)]);
  await expect.poll(chip).not.toBeNull();
  act(() =>
    lookout.measuring.change((state) => ({
      ...state,
      points: [{ place: { lon: 8.4, lat: 46.9 } }, { place: { lon: 8.5, lat: 46.9 } }],
    })),
  );
  await clicks('Check a sighting');
  expect(await field('Bearing')).toHaveProperty('value', '90');
  await user.type(await field('Bearing'), '9');
  await clicks('Check');
  await screen.findByText('Bearing: 0 to 360.');
  await user.type(await field('Bearing'), '{Backspace}');
  await clicks('Check');
  const result = await screen.findByTestId('sighting-result');
  expect(sent[0]?.[1]).toMatchObject({ place: [8.4, 46.9], bearing_deg: 90, elevation_deg: null, at_within_s: 60 });
  for (const words of [
    /Fits: Drone .* SIM · .* 2\.0° off/,
    /Does not fit, nearest miss: Drone A/,
    /Venus, 1\.0° off/,
    /Aircraft \(ADS-B\), .*Not watched: all receivers were down/,
    /Satellites are not checked\./,
  ])
    expect(result.textContent).toMatch(words);
  await clicks('Add to 2026-014');
  await screen.findByText('Added to 2026-014.');
  await user.click(screen.getByRole('button', { name: /^Fits/ }));
  await expect.poll(() => lookout.display.summary().selectedRef).toBe(SIGHT.track);
  await expect.poll(() => lookout.replay.session?.playback.cursor).toBe(Date.parse(SIGHT.at));
  expect(screen.queryByRole('dialog')).toBeNull();
});
