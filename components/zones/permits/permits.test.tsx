import { within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { plainRecord } from '#lib/api/arbitrary-record.fixture.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { NewPermits, Permit } from '#lib/api/watching/permits.ts';
import { alarmOf, ZONE_ID } from '#lib/client/alarms/alarm.fixture.ts';
import { permitOf } from '#lib/client/zones/permit.fixture.ts';
import { pricedZone, zoneOf } from '#lib/client/zones/zone.fixture.ts';
import { showPage } from '#testing/shown-page.tsx';
import { permitStateText } from './permit-text.ts';

const ZONE = zoneOf(0, { id: ZONE_ID, name: 'Runway 14/32' });
const now = Date.now();
const PERMIT = permitOf({
  zone: { id: ZONE_ID, name: ZONE.name },
  start: new Date(now - 3_600_000).toISOString(),
  end: new Date(now + 3_600_000).toISOString(),
});
const priced = pricedZone(ZONE);

async function showPermits(alarms: Alarm[], permits: Permit[] = [], zones = [priced]) {
  const sent: NewPermits[] = [];
  let asked = 0;
  const page = await showPage({
    answers: {
      'GET /api/zones': () => Response.json({ zones }),
      'GET /api/permits': () => Response.json({ permits, cut: false }),
      'GET /api/alarms': async () => {
        // The first three don't wait.
        if (++asked > 3) await new Promise(() => undefined);
        return Response.json({ alarms: asked === 1 ? alarms : [], next: String(asked) });
      },
      'POST /api/permits': (body) => {
        sent.push(body as NewPermits);
        permits.push(PERMIT);
        return Response.json({ permits: [PERMIT], answers: [] }, { status: 201 });
      },
      [`POST /api/permits/${PERMIT.id}/end`]: () => {
        permits.splice(0, 1, { ...PERMIT, state: 'ended', ended: { by: 'Bea', at: new Date(now).toISOString() } });
        return Response.json(permits[0]);
      },
    },
  });
  await page.user.keyboard('w');
  return { ...page, sent };
}

const REF = 'RX-D-0000000000000001';
const evidence = [{ ...plainRecord, public_track_id: REF, track_kind: 'drone' as const, altitude_m: 500 }];

test('an alarm is permitted in two actions, with values that can be kept', async () => {
  const { screen, user, sent } = await showPermits([alarmOf(1)]);
  await user.click(await screen.findByRole('button', { name: 'Permit' }));
  const dialog = await screen.findByRole('dialog', { name: 'Permit' });
  expect(within(dialog).getByTestId('permit-summary').textContent).toMatch(
    /^Any drone in Runway 14\/32, up to 120 m above ground, .+: no alarm\.$/,
  );
  expect(dialog.textContent).toContain('Covers any in the area during this time, also unknown ones.');
  await user.keyboard('{Enter}');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  const [{ permits, alarms }] = sent as [NewPermits];
  expect(alarms).toEqual([{ id: alarmOf(1).id, revision: 0 }]);
  expect(permits).toMatchObject([
    {
      zone: ZONE_ID,
      name: 'Drones in Runway 14/32',
      layers: ['rid'],
      track: null,
      shape: null,
      vertical: { field: 'height_agl_m', floor_m: null, ceiling_m: 120 },
    },
  ]);
  const hours = (Date.parse(permits[0]!.end) - Date.parse(permits[0]!.start)) / 3_600_000;
  expect(hours).toBeGreaterThanOrEqual(2);
  expect(hours).toBeLessThan(2.2);
});

test('the reference alone, another name and every height can be chosen', async () => {
  const { screen, user, sent } = await showPermits([alarmOf(1)]);
  await user.click(await screen.findByRole('button', { name: 'Permit' }));
  await user.click(await screen.findByRole('radio', { name: /^Only / }));
  await user.click(screen.getByRole('switch', { name: 'Flight expected' }));
  expect(screen.getByText(/^Ends with its reference/)).toBeTruthy();
  await user.clear(screen.getByLabelText('Name'));
  await user.type(screen.getByLabelText('Name'), 'Police');
  await user.clear(screen.getByLabelText(/^Up to/));
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Permit' }));
  await expect.poll(() => sent).toHaveLength(1);
  expect(sent[0]?.permits).toMatchObject([
    { name: 'Police', vertical: null, expects_flight: true, track: { layer: 'rid', ref: alarmOf(1).track } },
  ]);
});

test('an alarm whose height is unknown says that the permit does not cover it', async () => {
  const { screen } = await showPermits([alarmOf(1, { track: REF, evidence })], [PERMIT]);
  const row = await screen.findByTestId('alarm');
  await expect
    .poll(() => row.textContent)
    .toContain('Height unknown, so the permit “Survey flight, police” does not cover it.');
});

test('the list says what is permitted, until when and by whom, and ends it', async () => {
  const { screen, user } = await showPermits([], [PERMIT]);
  await user.click(await screen.findByRole('radio', { name: 'Permits' }));
  const row = await screen.findByTestId('permit');
  expect(row.textContent).toMatch(
    /Survey flight, policeUntil .+ · by AnnaRunway 14\/32 · Every drone · whole zone · up to 120 m above ground/,
  );
  await user.click(screen.getByRole('button', { name: 'More for Survey flight, police' }));
  await user.click(await screen.findByRole('menuitem', { name: 'End now…' }));
  await user.click(await screen.findByRole('button', { name: 'End now' }));
  await expect.poll(() => screen.getByTestId('permit').textContent).toMatch(/Ended .+ by Bea · by Anna/);
});

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

test('one who made and ended a permit is named once', () => {
  const ended = permitOf({ ended: { by: 'Anna', at: '2026-11-29T15:00:00Z' } });
  expect(permitStateText(ended, undefined, 'utc')).toMatch(/^Ended .+ by Anna$/);
});

test('the list says whether an expected flight was received, and how much of its time was watched', async () => {
  const ended = { ...PERMIT, state: 'ended' as const, end: new Date(now - 60_000).toISOString() };
  const watched = { watched_s: 7199, of_s: 7200, reason: 'receivers_lost' as const };
  const { screen, user } = await showPermits(
    [],
    [
      { ...PERMIT, id: idOf(1), flight: { received_at: PERMIT.start, watched: null } },
      { ...PERMIT, id: idOf(2), flight: { received_at: null, watched: null } },
      { ...ended, id: idOf(3), flight: { received_at: null, watched } },
      { ...ended, id: idOf(4), flight: { received_at: null, watched: { ...watched, watched_s: 0 } } },
      { ...ended, id: idOf(5), flight: { received_at: null, watched: { watched_s: 7200, of_s: 7200, reason: null } } },
    ],
  );
  await user.click(await screen.findByRole('radio', { name: 'Permits' }));
  await screen.findAllByTestId('permit');
  expect(screen.getAllByTestId('permit-flight').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Flight received (\d{4}-\d\d-\d\d )?\d\d:\d\dZ$/),
    'Flight expected, not received yet',
    'Flight not received. Watched 99% of it; the rest not: all receivers were down',
    'Flight not known: not watched, all receivers were down',
    'Flight not received. Watched 100% of it',
  ]);
});

test('a flight that was not received calls no operator, and says in the list of the last day what was watched', async () => {
  const missed = alarmOf(1, {
    rule: { id: PERMIT.id, kind: 'flight_not_received' },
    kind: 'flight_not_received',
    track: null,
    state: 'ended',
    ended: 'permit_over',
    ended_at: PERMIT.start,
    opened_at: PERMIT.start,
    expected: true,
    permit: { name: PERMIT.name, until: PERMIT.start },
    watched: { watched_s: 4464, of_s: 7200, reason: 'receivers_lost' },
  });
  const { screen, user } = await showPermits([missed]);
  const chip = await screen.findByTestId('chip-alarms');
  await expect.poll(() => chip.textContent).toContain('No new');
  expect(screen.queryByTestId('alarm')).toBeNull();
  await user.selectOptions(screen.getAllByRole('combobox')[0]!, 'all');
  const row = await screen.findByTestId('alarm');
  expect(row.textContent).toMatch(
    /^Expected flight not received in Runway 14\/32Permitted: Survey flight, police, until /,
  );
  expect(row.textContent).toContain('Watched 62% of it; the rest not: all receivers were down');
  await user.click(within(row).getByRole('button', { expanded: false }));
  expect(within(row).queryByRole('button', { name: 'Permit' })).toBeNull();
  expect(row.textContent).toContain('the permit is over');
});

test('a file of permits is shown before it is imported, and a fault imports nothing', async () => {
  const { screen, user, sent } = await showPermits([], []);
  await user.click(await screen.findByRole('radio', { name: 'Permits' }));
  const picker = await screen.findByLabelText(/^File of permits: GeoJSON/);
  const file = (end: string) =>
    new File(
      [
        JSON.stringify({
          type: 'FeatureCollection',
          features: [
            { type: 'Feature', geometry: null, properties: { name: 'Survey', start: PERMIT.start, end, up_to_m: 80 } },
          ],
        }),
      ],
      'permits.geojson',
    );
  await user.upload(picker, file('later'));
  await screen.findByText(/^Feature 1 “Survey”, end/);
  await user.upload(picker, file(PERMIT.end));
  await user.click(await screen.findByRole('button', { name: 'Import 1 permit' }));
  await expect.poll(() => sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({
    alarms: [],
    permits: [{ name: 'Survey', zone: ZONE_ID, vertical: { ceiling_m: 80 } }],
  });
  expect(await screen.findByText('Imported 1 permit.')).toBeTruthy();
  const time = (value: string) => ({ value, format: 'RFC3339' });
  const intent = {
    reference: { id: idOf(7), version: 2, state: 'Accepted' },
    details: {
      volumes: [
        {
          volume: { outline_circle: { center: { lat: 47.4, lng: 8.5 }, radius: { value: 300, units: 'M' } } },
          time_start: time(PERMIT.start),
          time_end: time(PERMIT.end),
        },
      ],
    },
  };
  await user.upload(picker, new File([JSON.stringify(intent)], 'intent.json'));
  await user.click(await screen.findByRole('button', { name: 'Import 1 permit' }));
  await expect.poll(() => sent).toHaveLength(2);
  expect(sent[1]).toMatchObject({
    permits: [{ zone: ZONE_ID, expects_flight: true, intent: { id: idOf(7), version: 2 } }],
  });
});

test('a viewer sees permits, and makes and ends none', async () => {
  const permits = [PERMIT];
  const { screen, user } = await showPage({
    operator: { name: 'Vic', role: 'viewer' } as never,
    answers: {
      'GET /api/zones': () => Response.json({ zones: [priced] }),
      'GET /api/permits': () => Response.json({ permits, cut: false }),
      'GET /api/alarms': () => Response.json({ alarms: [alarmOf(1)], next: '1' }),
    },
  });
  await user.keyboard('w');
  await screen.findByTestId('alarm');
  expect(screen.queryByRole('button', { name: 'Permit' })).toBeNull();
  await user.click(await screen.findByRole('radio', { name: 'Permits' }));
  await screen.findByTestId('permit');
  expect(screen.queryByRole('button', { name: 'New permit' })).toBeNull();
  await user.click(screen.getByRole('button', { name: /^More for/ }));
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual(['Show on the map']);
});
