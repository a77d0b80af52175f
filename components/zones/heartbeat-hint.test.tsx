import { expect, test } from 'vitest';
import type { Destination } from '#lib/api/outputs/destinations.ts';
import type { PricedZone } from '#lib/api/watching/zones.ts';
import { newRule } from '#lib/client/zones/zone-draft.ts';
import { showPage } from '#testing/shown-page.tsx';

const ID = '00000000-0000-4000-8000-000000000001';

function zoneWith(rules: PricedZone['zone']['rules']): PricedZone {
  const zone = {
    id: ID,
    revision: 1,
    name: 'Site',
    shared: false,
    mine: true,
    owner: null,
    removed_at: null,
    changed_at: '2026-11-27T08:00:00Z',
    shape: { type: 'Circle' as const, centre: [8.2, 46.9] as [number, number], radius_m: 2000 },
    vertical: null,
    hours: null,
    permits: [],
    source: null,
    history_requests_a_day: 0,
    rules,
  };
  const price = { requests_a_day: null, affordable_a_day: null, every_s: null };
  return { zone, price, watched: null, suspended: [] };
}

const RULED = zoneWith([{ ...newRule('entered'), id: ID, layers: ['rid'] }]);

function destinationOf(config: Destination['config']): Destination {
  return {
    id: ID,
    revision: 1,
    name: config.kind,
    is_on: true,
    secrets: 0,
    config,
    units: 'metric',
    time_zone: 'UTC',
    announces: ['opened'],
    group_s: 0,
    notices_an_hour: null,
    switched_off: null,
    problem: null,
    last_arrived_at: null,
    next_try_at: null,
    waiting: 0,
    waiting_since: null,
    given_up: 0,
  };
}

const WEBHOOK = destinationOf({ kind: 'webhook', url: 'https://hooks.example' });
const HEARTBEAT = destinationOf({ kind: 'heartbeat', url: 'https://beats.example' });

async function openZones(zones: readonly PricedZone[], destinations: readonly Destination[] | undefined) {
  const page = await showPage({
    answers: {
      'GET /api/zones': () => Response.json({ zones }),
      'GET /api/destinations': () => Response.json({ destinations: [] }),
      'GET /api/alarms': () => Response.json({ alarms: [], next: '0' }),
      'GET /api/admin/destinations': () =>
        destinations
          ? Response.json({ as_of: '2026-11-27T08:00:00Z', destinations })
          : Response.json(
              { error: { code: 'not_permitted', message: 'Admins only.' }, request_id: 'a' },
              { status: 403 },
            ),
    },
  });
  await page.user.click(page.screen.getByRole('tab', { name: 'Zones' }));
  return page;
}

const HINT = 'heartbeat-hint';

test('a Lookout with zones and no heartbeat tells its admin, with the page that adds one, until it is dismissed for good', async () => {
  const { screen, user, closes } = await openZones([RULED], [WEBHOOK]);
  const hint = await screen.findByTestId(HINT);
  expect(hint.textContent).toBe('Nothing alerts you if Lookout stops. Add a heartbeat');
  expect(screen.getByRole('link', { name: 'Add a heartbeat' }).getAttribute('href')).toBe('/admin/outputs');
  await user.click(screen.getByRole('button', { name: 'Dismiss the note on heartbeats' }));
  expect(screen.queryByTestId(HINT)).toBeNull();
  closes();
  const again = await openZones([RULED], [WEBHOOK]);
  await again.screen.findByText('Site');
  expect(again.screen.queryByTestId(HINT)).toBeNull();
  expect(again.requests).not.toContain('GET /api/admin/destinations');
});

test('the hints of a first visit, dismissed together, leave it dismissed', async () => {
  const { screen, user } = await openZones([RULED], [WEBHOOK]);
  await user.click(await screen.findByRole('button', { name: 'Dismiss the note on heartbeats' }));
  await user.click(screen.getByRole('button', { name: 'Dismiss all hints' }));
  expect(screen.queryByTestId(HINT)).toBeNull();
});

test.each([
  ['a heartbeat', [RULED], [WEBHOOK, HEARTBEAT]],
  ['no zone', [], []],
  ['zones without a rule', [zoneWith([])], []],
  ['destinations that cannot be read', [RULED], undefined],
] as const)('with %s there is none', async (_, zones, destinations) => {
  const { screen, requests } = await openZones(zones, destinations);
  const isAsked = zones.some(({ zone }) => zone.rules.length > 0);
  await expect.poll(() => requests.includes('GET /api/admin/destinations')).toBe(isAsked);
  await screen.findByText(zones.length > 0 ? 'Site' : /^No zones yet/);
  expect(screen.queryByTestId(HINT)).toBeNull();
});
