import { beforeEach, describe, expect, test } from 'vitest';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import type { Lease, Leases } from './lease.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const TTL_MS = 60_000;

/** What leases promise, whoever keeps them. @param make two handles of one new store, which may be the same object */
export function declareLeasesSuite(name: string, make: () => Promise<readonly [Leases, Leases]>): void {
  let leases: Leases;
  let other: Leases;
  beforeEach(async () => {
    [leases, other] = await make();
  });

  async function acquired(from: Leases, area: string, now: LocalInstant): Promise<Lease> {
    const lease = await from.acquire(area, TTL_MS, now);
    if (!lease) throw new Error(`${area} is held`);
    return lease;
  }

  describe(`${name} as leases`, () => {
    test('of many that ask at once, one gets it', async () => {
      const asked = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? leases : other).acquire('area', TTL_MS, NOW)),
      );
      expect(asked.filter((lease) => lease !== undefined)).toHaveLength(1);
    });

    test('one name does not hold up another', async () => {
      expect(await acquired(leases, 'area', NOW)).toMatchObject({ name: 'area' });
      expect(await acquired(other, 'another area', NOW)).toMatchObject({ name: 'another area' });
    });

    test('what was given back can be taken at once', async () => {
      await leases.release(await acquired(leases, 'area', NOW));
      await acquired(other, 'area', NOW);
    });

    test('it is held to the end of its time, and not a millisecond longer', async () => {
      await acquired(leases, 'area', NOW);
      expect(await other.acquire('area', TTL_MS, addMs(NOW, TTL_MS - 1))).toBeUndefined();
      await acquired(other, 'area', addMs(NOW, TTL_MS));
    });

    test('giving back what was taken over does not take it from the new holder', async () => {
      const late = await acquired(leases, 'area', NOW);
      const later = addMs(NOW, TTL_MS);
      await acquired(other, 'area', later);
      await leases.release(late);
      expect(await leases.acquire('area', TTL_MS, later)).toBeUndefined();
    });

    test('each lease of a name has a greater fence than all before it, given back or taken over', async () => {
      let now = NOW;
      const fences: number[] = [];
      for (let turn = 0; turn < 6; turn++) {
        const lease = await acquired(turn % 2 ? leases : other, 'area', now);
        fences.push(lease.fence);
        if (turn % 3 === 0) await leases.release(lease);
        now = addMs(now, TTL_MS);
      }
      expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
    });
  });
}
