import { expect, test } from 'vitest';
import { destinationOf } from '#lib/api/outputs/destination.fixture.ts';
import type { Destination } from '#lib/api/outputs/destinations.ts';
import type { PricedZone } from '#lib/api/watching/zones.ts';
import { pricedZone, zoneOf } from '#lib/client/zones/zone.fixture.ts';
import { showPage } from '#testing/shown-page.tsx';

function zoneWith(change: Partial<PricedZone['zone']>): PricedZone {
  return pricedZone(zoneOf(1, { name: 'Site', ...change }));
}

const RULED = zoneWith({});

const WEBHOOK = destinationOf();
const HEARTBEAT = destinationOf({ config: { kind: 'heartbeat', url: 'https://beats.example' } });

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
  ['zones without a rule', [zoneWith({ rules: [] })], []],
  ['destinations that cannot be read', [RULED], undefined],
] as const)('with %s there is none', async (_, zones, destinations) => {
  const { screen, requests } = await openZones(zones, destinations);
  const isAsked = zones.some(({ zone }) => zone.rules.length > 0);
  await expect.poll(() => requests.includes('GET /api/admin/destinations')).toBe(isAsked);
  await screen.findByText(zones.length > 0 ? 'Site' : /^No zones yet/);
  expect(screen.queryByTestId(HINT)).toBeNull();
});
