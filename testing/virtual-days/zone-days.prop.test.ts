import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CurrentZone } from '#lib/server/zones/current-zones.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import type { Hours } from '#lib/zones/zone.ts';
import { ZoneHours } from '#lib/zones/zone-hours.ts';
import { runs } from '../budget.ts';
import { type Place, randomScenario } from './scenario.ts';
import { runZoneDay } from './zone-days.ts';

/** A Friday. */
const MIDNIGHT_MS = Date.UTC(2026, 10, 27);
/** A price has three digits, and reads begin and end up to 15 s late. */
const ROUNDING = 1.02;

interface Account {
  readonly perDay: number;
  readonly perMinute: number;
}

function zonesAt(places: readonly Place[], count: number, hours: Hours): readonly CurrentZone[] {
  return places.slice(0, count).map(({ lon, lat }, index) => {
    const { shape: _, rules, vertical } = newZone();
    return {
      id: `zone-${index}`,
      revision: 1,
      name: 'Zone',
      vertical,
      hours,
      permits: [],
      historyRequestsADay: 0,
      shape: { type: 'Circle', centre: [lon, lat], radius_m: 2000 + 3000 * index },
      rules: rules.map((rule, each) => ({ ...rule, id: `rule-${index}-${each}` })),
      activeHours: new ZoneHours(hours),
    };
  });
}

function dayOf(seed: number, account: Account, count: number, hours: Hours = null) {
  const { startMs: _, endMs: _1, operators: _2, isAllDay: _3, ...scenario } = randomScenario(seed, 1);
  const places = scenario.places.map((place) => ({ ...place, tracks: { rid: 5, adsb: 20 } }));
  const world = {
    ...scenario,
    ...account,
    places,
    pageRecords: 1000,
    othersPerDay: 0,
    latencyMs: 200,
    clockErrorMs: 0,
  };
  return runZoneDay(
    { ...world, troubles: [], faults: { lost: 0, busy: 0 } },
    MIDNIGHT_MS,
    zonesAt(places, count, hours),
  );
}

const accounts = fc.record({
  perDay: fc.integer({ min: 300, max: 1500 }),
  perMinute: fc.integer({ min: 10, max: 60 }),
});

test('a day of zones without viewers costs at most their price, and at least the part that they are shown to afford', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(2 ** 31), accounts, fc.integer({ min: 1, max: 4 }), async (seed, account, count) => {
      const { requests, refused, price, affordable } = await dayOf(seed, account, count);
      expect(refused).toEqual({ minute: 0, day: 0 });
      expect(requests).toBeLessThanOrEqual(Math.min(price * ROUNDING, account.perDay));
      expect(requests).toBeGreaterThan(0.95 * affordable);
    }),
    // A smaller seed is not a smaller scenario.
    { numRuns: runs(2), endOnFailure: true },
  );
});

test('a zone with hours costs its price where the allowance affords all of it', async () => {
  const hours: Hours = { time_zone: 'UTC', weekly: [{ days: ['fri'], from: '08:00', to: '09:00' }] };
  const { requests, refused, price } = await dayOf(1, { perDay: 100_000, perMinute: 600 }, 1, hours);
  expect(refused).toEqual({ minute: 0, day: 0 });
  expect(requests).toBeLessThanOrEqual(price * ROUNDING);
  expect(requests).toBeGreaterThan(0.9 * price);
});
