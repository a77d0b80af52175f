import { expect, test, vi } from 'vitest';
import type { DestinationName } from '#lib/api/outputs/destinations.ts';
import type { NewZone, PricedZone, WatchedNow } from '#lib/api/watching/zones.ts';
import type { MapCommand } from '#lib/client/page/page-map.ts';
import { zoneOf } from '#lib/client/zones/zone.fixture.ts';
import { newRule } from '#lib/client/zones/zone-draft.ts';
import { HEIGHT_BANDS } from '#lib/model/height-band.ts';
import { type PageSetting, recordsNow, showPage } from '#testing/shown-page.tsx';

const PRICE = { requests_a_day: 1440, affordable_a_day: 720, every_s: 120 };
const WATCHED = { state: 'watched', since: '2026-11-27T08:00:00Z', reason: null } as const;

function pricedZone(number: number, changed: Partial<PricedZone['zone']> = {}): PricedZone {
  return { zone: zoneOf(number, changed), price: PRICE, watched: WATCHED, suspended: [] };
}

async function showZones(
  zones: PricedZone[],
  refusal?: { code: string; message: string },
  destinations: DestinationName[] = [],
  {
    operator,
    answers,
    unshared = false,
  }: Pick<PageSetting, 'operator' | 'answers'> & { readonly unshared?: boolean } = {},
) {
  const sent: NewZone[] = [];
  const page = await showPage({
    ...(operator && { operator }),
    answers: {
      'GET /api/zones': () => Response.json({ zones, unshared }),
      'GET /api/destinations': () => Response.json({ destinations }),
      'POST /api/zones/price': () => Response.json(PRICE),
      'GET /api/alarms': () => Response.json({ alarms: [], next: '0' }),
      'POST /api/zones': (body) => {
        sent.push(body as NewZone);
        if (refusal) return Response.json({ error: refusal, request_id: 'a' }, { status: 400 });
        const { rules, ...sentZone } = body as NewZone;
        const saved = pricedZone(zones.length, {
          ...sentZone,
          rules: rules.map((rule) => ({ ...rule, id: crypto.randomUUID() })),
        });
        zones.push(saved);
        return Response.json(saved, { status: 201 });
      },
      'DELETE /api/zones/00000000-0000-4000-8000-000000000000': () => {
        zones.splice(0, 1);
        return new Response(null, { status: 204 });
      },
      ...answers,
    },
  });
  const { screen, user } = page;
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  const type = async (label: string, text: string) => {
    const field = screen.getByLabelText(label);
    await user.clear(field);
    await user.type(field, text);
  };
  return { ...page, sent, type, clicks: (name: string | RegExp) => user.click(screen.getByRole('button', { name })) };
}

test('a zone is made by keyboard alone: typed corners, its price before it is saved, and its row afterwards', async () => {
  const { screen, user, sent, type, clicks } = await showZones([]);
  expect(await screen.findByText(/^No zones yet/)).toBeTruthy();
  await clicks('Create zone');
  await type('Corners, one per line', '46.8, 8.0{Enter}46.8, 8.4{Enter}47.0, 8.4');
  await user.tab();
  expect(screen.getByText('Its name will be “Site”.')).toBeTruthy();
  await type('Name', 'North gate');
  await expect
    .poll(() => screen.getByTestId('zone-price').textContent)
    .toMatch(/^1.440 requests a day; with one open page the allowance affords 720, one read in 120 s$/);
  await clicks('Save zone');
  expect(await screen.findByText('Saved “North gate”. Lookout watches it, also without an open page.')).toBeTruthy();
  expect(sent[0]).toMatchObject({
    name: 'North gate',
    shared: true,
    shape: {
      type: 'Polygon',
      coordinates: [
        [
          [8, 46.8],
          [8.4, 46.8],
          [8.4, 47],
          [8, 46.8],
        ],
      ],
    },
    rules: [{ kind: 'entered', simulated: false, test: false }],
  });
  const row = await screen.findByText('North gate');
  expect(row.closest('li')?.textContent).toContain('Polygon, 3 corners · Always');
});

const ROOT = { id: 'root', name: 'root', role: 'admin' } as const;

test('a colleague reads that no zone is shared, and a viewer is offered none to create', async () => {
  const operator = { id: 'wall', name: 'wall', role: 'viewer' } as const;
  const { screen } = await showZones([], undefined, [], { operator, unshared: true });
  expect((await screen.findByTestId('no-zones')).textContent).toMatch(/^No zone is shared with you\./);
  expect(screen.queryByRole('button', { name: 'Create zone' })).toBeNull();
});

test('there is one button to create a zone, with zones and without', async () => {
  for (const zones of [[], [pricedZone(0)]]) {
    const { screen, closes } = await showZones(zones);
    await screen.findByTestId(zones.length === 0 ? 'no-zones' : 'zone-list');
    expect(
      screen.getAllByRole('button', { name: /^(create|new|add) (?!incident)/i }).map(({ textContent }) => textContent),
    ).toEqual(['Create zone']);
    closes();
  }
});

test('an admin hands a zone, or all zones of its owner, over to another person', async () => {
  const sent: unknown[] = [];
  const person = (id: string, role: string) => ({
    id,
    name: id,
    role,
    in_file: true,
    password: 'own',
    passkeys: 0,
    spent_today: { past: 0, first_views: 0 },
    sessions: [],
    push: [],
  });
  const zones = [0, 1].map((number) => pricedZone(number, { owner: 'al', mine: false, name: `Zone ${number}` }));
  const { screen, user, clicks } = await showZones(zones, undefined, [], {
    operator: ROOT,
    answers: {
      'GET /api/admin/people': () =>
        Response.json({
          people: [person('bea', 'operator'), person('root', 'admin'), person('vic', 'viewer')],
          passkeys_required: false,
          has_allowance: false,
        }),
      'PUT /api/zones/owner': (body) => {
        sent.push(body);
        return new Response(null, { status: 204 });
      },
    },
  });
  await screen.findByText('Zone 0');
  await clicks('More for Zone 0');
  await user.click(await screen.findByRole('menuitem', { name: 'Hand over…' }));
  const people = await screen.findByLabelText('Hand over “Zone 0” to');
  await screen.findByRole('option', { name: 'bea, operator' });
  expect(screen.queryByRole('option', { name: /vic/ })).toBeNull();
  await user.selectOptions(people, 'bea');
  await user.click(screen.getByRole('switch', { name: /All 2 zones of al/ }));
  await clicks('Hand over');
  expect(await screen.findByText('2 zones handed over to bea.')).toBeTruthy();
  expect(sent).toEqual([{ person: 'bea', zones: zones.map(({ zone: { id, revision } }) => ({ id, revision })) }]);
});

test('a row shows rules, hours, price and whether the zone is watched', async () => {
  const hours = {
    time_zone: 'Asia/Tokyo',
    weekly: [{ days: ['mon' as const, 'tue' as const], from: '22:00', to: '06:00' }],
  };
  const vertical = { field: 'height_agl_m', floor_m: 0, ceiling_m: 120, unknown: 'flagged' } as const;
  const unwatched = { state: 'not_watched', since: '2026-11-27T08:00:00Z', reason: 'allowance' } as const;
  const { screen } = await showZones([{ ...pricedZone(0, { hours, vertical }), watched: unwatched }]);
  const text = (await screen.findByTestId('zone-list')).textContent;
  expect(text).toContain('Entered — drones, after 20 s or 30 m inside');
  expect(text).toContain('Mon, Tue 22:00–06:00 (13:00–21:00 UTC now), Asia/Tokyo');
  expect(text).toContain('0 m to 120 m, height above ground (estimated)');
  expect(text).toContain('Not watched since 08:00Z: the allowance does not suffice');
  expect(text).toMatch(/1.440 requests a day; with one open page the allowance affords 720/);
});

test('a row shows which layer has no receiver', async () => {
  const since = '2026-11-27T08:00:00Z';
  const layers: NonNullable<WatchedNow['layers']> = [
    { layer: 'rid', state: 'not_watched', since, reason: 'not_equipped' },
    { layer: 'adsb', state: 'watched', since, reason: null },
  ];
  const watched: WatchedNow = { state: 'partly', since, reason: 'not_equipped', layers };
  const { screen } = await showZones([{ ...pricedZone(0), watched }]);
  const text = (await screen.findByTestId('zone-list')).textContent;
  expect(text).toContain('Drones: no receiver for this layer. Aircraft watched since 08:00Z');
});

test('errors of the server stand at their fields, and the form keeps what was typed', async () => {
  const message = 'shape: the edges 1 and 3 cross; rules.0.hold_s: too big';
  const { screen, user, type, clicks } = await showZones([], { code: 'bad_body', message });
  await clicks('Create zone');
  await type('Name', 'North gate');
  await type('Corners, one per line', '46.8, 8.0{Enter}46.8, 8.4{Enter}47.0, 8.4');
  await user.tab();
  await clicks('Save zone');
  const ground = screen.getByRole('group', { name: 'Shape' });
  await expect.poll(() => ground.textContent).toContain('the edges 1 and 3 cross');
  expect(screen.getByRole('group', { name: 'Alarm when' }).textContent).toContain('no. 1 hold s too big');
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'North gate');
});

test('a taken name is explained at its field, which comes into view with the focus', async () => {
  const message = 'You have a zone of this name already.';
  const { screen, user, type, clicks } = await showZones([], { code: 'name_taken', message });
  await clicks('Create zone');
  await type('Name', 'North gate');
  await type('Corners, one per line', '46.8, 8.0{Enter}46.8, 8.4{Enter}47.0, 8.4');
  await user.tab();
  const name = screen.getByLabelText('Name');
  const scroll = vi.spyOn(name, 'scrollIntoView').mockReturnValue();
  await clicks('Save zone');
  await expect.poll(() => document.activeElement).toBe(name);
  expect(scroll).toHaveBeenCalledOnce();
  expect(name.nextElementSibling?.textContent).toBe(message);
  expect(name.getAttribute('aria-describedby')).toBe(name.nextElementSibling?.id);
});

test('typed places that are none are explained, and change nothing', async () => {
  const { screen, user, lookout, type, clicks } = await showZones([]);
  await clicks('Create zone');
  await type('Corners, one per line', '46.8, 8.0{Enter}there');
  await user.tab();
  expect(await screen.findByText(/Line 2/)).toBeTruthy();
  expect(lookout.zones.draft.get()?.shape).toBeUndefined();
});

test('while all traffic is simulated, the form says that rules leave it out', async () => {
  const { screen, receives, lookout, clicks } = await showZones([]);
  receives(recordsNow([{ simulated: true, stale_after: new Date(Date.now() + 2000).toISOString() }]));
  await screen.findByRole('button', { name: 'Create zone' });
  await clicks('Create zone');
  await screen.findByRole('button', { name: 'Include simulated' });
  // A map that moves to a runway has none for a moment either.
  await expect
    .poll(() => {
      lookout.feed.age();
      return screen.getByTestId('chip-adsb').textContent;
    })
    .toMatch(/0 current/);
  await clicks('Include simulated');
  expect(lookout.zones.draft.get()?.rules).toMatchObject([{ simulated: true }]);
  expect(screen.queryByRole('button', { name: 'Include simulated' })).toBeNull();
});

test('a new zone says that it reaches below what is usually received, and nothing where reception is not measured', async () => {
  const band = (share: number | null) => ({
    positions: share === null ? 0 : 500,
    apart: 0,
    followed_s: share === null ? null : 36_000,
    received_s: share === null ? null : share * 36_000,
  });
  let shares: readonly (number | null)[] = [null, null, null, null, null];
  const { screen, type, user, clicks } = await showZones([], undefined, [], {
    answers: {
      'GET /api/overview/reception': () =>
        Response.json({
          as_of: '2026-11-27T08:00:00Z',
          start: '2026-10-28T08:00:00Z',
          end: '2026-11-27T08:00:00Z',
          layers: [
            {
              layer: 'rid',
              cell_deg: 1 / 32,
              bbox: [8, 46.8, 8.4, 47],
              watched_s: 3600,
              partly_s: 0,
              bands: HEIGHT_BANDS.rid.map((each, index) => ({ ...each, ...band(shares[index] ?? null) })),
            },
          ],
        }),
    },
  });
  await screen.findByText(/^No zones yet/);
  await clicks('Create zone');
  await type('Corners, one per line', '46.8, 8.0{Enter}46.8, 8.4{Enter}47.0, 8.4');
  await user.tab();
  await screen.findByText(/1.440 requests a day/);
  expect(screen.queryByText(/reaches below/)).toBe(null);
  shares = [null, 0.1, 0.8, 0.9, null];
  await type('Corners, one per line', '46.8, 8.0{Enter}46.8, 8.5{Enter}47.0, 8.4');
  await user.tab();
  expect(await screen.findByText('This zone reaches below what is usually received.')).toBeTruthy();
  expect(screen.getByText(/^Below 60 m above ground here, drones were received in 10% of the 10 h /)).toBeTruthy();
});

test('a rule is added and changed as a sentence', async () => {
  const { screen, user, clicks } = await showZones([]);
  await clicks('Create zone');
  await clicks('Add a rule');
  await user.click(await screen.findByRole('menuitem', { name: 'Nothing received' }));
  const field = await screen.findByLabelText(/^Nothing received for/);
  await user.clear(field);
  await user.type(field, '20');
  expect(screen.getByRole('button', { name: /^Nothing received for 20 min while watched/ })).toBeTruthy();
});

const destinationId = (number: number) => `6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d0${number}`;

test('a rule names its destinations and escalates to another; one that is off or removed is shown as such', async () => {
  const rule = { ...newRule('entered'), id: destinationId(0), notify: [destinationId(9)] };
  const { screen, user, lookout, clicks } = await showZones([pricedZone(0, { rules: [rule] })], undefined, [
    { id: destinationId(1), name: 'Control room', kind: 'webhook', is_on: true, all_alarms: false },
    { id: destinationId(2), name: 'Duty phone', kind: 'ntfy', is_on: false, all_alarms: false },
  ]);
  await screen.findByText('Site 0');
  await clicks('More for Site 0');
  await user.click(await screen.findByRole('menuitem', { name: 'Change' }));
  await clicks(/^Entered — drones and aircraft, sent to 1 destination/);
  await clicks('Control room · Webhook');
  await clicks('A removed destination');
  expect(screen.queryByRole('button', { name: 'A removed destination' })).toBeNull();
  const escalation = screen.getByLabelText('If no operator acknowledges, also to');
  await user.selectOptions(escalation, 'Duty phone · ntfy, off');
  const within = screen.getByLabelText(/^Acknowledged within/);
  await user.clear(within);
  await user.type(within, '10');
  expect(lookout.zones.draft.get()?.rules).toMatchObject([
    { notify: [destinationId(1)], escalate: { destination: destinationId(2), after_s: 600 } },
  ]);
  expect(
    screen.getByRole('button', { name: /^Entered .*sent to 1 destination, escalated after 10 min$/ }),
  ).toBeTruthy();
});

test('without a destination, a rule has one line that says so', async () => {
  const { screen, clicks } = await showZones([]);
  await clicks('Create zone');
  await clicks(/^Entered — /);
  const part = await screen.findByRole('group', { name: 'Sent to' });
  await expect.poll(() => part.textContent).toMatch(/No destinations yet. Alarms appear only in Lookout. Add one$/);
  expect(screen.getByRole('link', { name: 'Add one' }).getAttribute('href')).toBe('/admin/outputs');
});

test('Esc ends drawing; Cancel drops the draft', async () => {
  const { screen, user, lookout, clicks } = await showZones([]);
  await clicks('Create zone');
  await clicks('Draw on the map');
  expect(await screen.findByTestId('zone-drawing')).toBeTruthy();
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByTestId('zone-drawing')).toBeNull();
  expect(lookout.zones.draft.get()?.isDrawing).toBe(false);
  await clicks('Cancel');
  expect(lookout.zones.draft.get()).toBeUndefined();
});

test('a zone near a pole is shown with its surroundings, which end at the pole', async () => {
  const corners: [number, number][] = [
    [8, 80],
    [16, 80],
    [16, 89],
    [8, 80],
  ];
  const { lookout, screen, user } = await showZones([
    pricedZone(0, { shape: { type: 'Polygon', coordinates: [corners] } }),
  ]);
  const commands: MapCommand[] = [];
  lookout.mapCommands.listen((command) => commands.push(command));
  await user.click(await screen.findByText('Site 0'));
  expect(commands).toEqual([{ kind: 'show-box', bbox: { west: 6, south: 77.75, east: 18, north: 90 } }]);
});

test('a zone is removed after a question', async () => {
  const { screen, user, clicks } = await showZones([pricedZone(0)]);
  await screen.findByText('Site 0');
  await clicks('More for Site 0');
  await user.click(await screen.findByRole('menuitem', { name: 'Remove…' }));
  await clicks('Remove');
  expect(await screen.findByText('Removed “Site 0”.')).toBeTruthy();
});

test('A suspended rule says why, and what to do', async () => {
  const { zone, ...rest } = pricedZone(1);
  const rule = zone.rules[0]?.id ?? '';
  const since = '2026-11-27T08:00:00Z';
  const { screen } = await showZones([
    {
      zone,
      ...rest,
      suspended: [
        { rule, layer: 'rid', reason: 'too_many', since, alarms: 1200 },
        { rule, layer: 'adsb', reason: 'rule_failed', since, alarms: null },
      ],
    },
  ]);
  await screen.findByText(/Suspended for drones: 1.200 alarms or more, too many to list/);
  await screen.findByText(/Suspended for aircraft: the rule failed. Save the zone to try again/);
});

test('zones that cannot be read say so, and nothing of a change', async () => {
  const { screen, user } = await showPage({ answers: { 'GET /api/zones': () => new Response(null, { status: 503 }) } });
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  const alert = await screen.findByText(/^The zones could not be read: /);
  expect(alert.textContent).toBe('The zones could not be read: No answer from Lookout’s own server.');
});

test('a file of zones that cannot be made says so', async () => {
  const { screen, user, clicks } = await showZones([pricedZone(1)]);
  await screen.findByText('Site 1');
  vi.spyOn(URL, 'createObjectURL').mockImplementationOnce(() => {
    throw new Error('out of memory');
  });
  await clicks('Export');
  await user.click(await screen.findByRole('menuitem', { name: 'All zones as GeoJSON' }));
  expect(await screen.findByText('The file of zones could not be made. Try again.')).toBeTruthy();
});

test('a new zone begins as a site; a runway asks for the airport, and holds are under “Advanced”', async () => {
  const { screen, user, lookout, clicks } = await showZones([]);
  await clicks('Create zone');
  const draft = () => lookout.zones.draft.get();
  expect(draft()).toMatchObject({ preset: 'site', vertical: { ceiling_m: 150 }, rules: [{ layers: ['rid'] }] });
  expect(screen.getByText(/^Drones up to 150 m/)).toBeTruthy();
  await user.click(screen.getByRole('radio', { name: 'Runway' }));
  expect(await screen.findByLabelText('Airport, by name or code')).toBeTruthy();
  expect(draft()).toMatchObject({ shapeType: 'Corridor', rules: [{ hold_s: 5 }] });
  await clicks(/^Entered — drones/);
  expect(screen.queryByLabelText(/^Alarm after/)).toBeNull();
  await clicks('Advanced');
  expect(screen.getByLabelText(/^Alarm after/)).toHaveProperty('value', '5');
  await user.click(screen.getByRole('radio', { name: 'All traffic' }));
  expect(draft()).toMatchObject({ vertical: null, rules: [{ layers: ['rid', 'adsb'] }] });
});
