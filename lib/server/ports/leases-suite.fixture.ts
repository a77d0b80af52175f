import { beforeEach, describe, expect, test } from 'vitest';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import type { Lease, Leases } from './lease.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const TTL_MS = 60_000;

/** The contract of every `Leases`. @param make two handles of one new store, possibly the same object */
export function declareLeasesSuite(name: string, make: () => Promise<readonly [Leases, Leases]>): void {
  let leases: Leases;
  let other: Leases;
  beforeEach(async () => {
    [leases, other] = await make();
  });

  async function acquired(from: Leases, area: string, now: LocalInstant): Promise<Lease> {
    const lease = await from.acquire(area, TTL_MS, now);
    if (!lease) throw new Error(`${area} is already leased`);
    return lease;
  }

  describe(`${name} as leases`, () => {
    test('grants one of many simultaneous requests', async () => {
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? leases : other).acquire('area', TTL_MS, NOW)),
      );
      expect(results.filter((lease) => lease !== undefined)).toHaveLength(1);
    });

    test('names are independent', async () => {
      expect(await acquired(leases, 'area', NOW)).toMatchObject({ name: 'area' });
      expect(await acquired(other, 'another area', NOW)).toMatchObject({ name: 'another area' });
    });

    test('a released lease can be acquired at once', async () => {
      await leases.release(await acquired(leases, 'area', NOW));
      await acquired(other, 'area', NOW);
    });

    test('a lease lasts exactly its time to live', async () => {
      await acquired(leases, 'area', NOW);
      expect(await other.acquire('area', TTL_MS, addMs(NOW, TTL_MS - 1))).toBeUndefined();
      await acquired(other, 'area', addMs(NOW, TTL_MS));
    });

    test('a renewed lease lasts from then on, under its fence', async () => {
      const lease = await acquired(leases, 'area', NOW);
      const later = addMs(NOW, TTL_MS - 1);
      expect(await leases.renew(lease, TTL_MS, later)).toBe(true);
      expect(await other.acquire('area', TTL_MS, addMs(later, TTL_MS - 1))).toBeUndefined();
      expect((await acquired(other, 'area', addMs(later, TTL_MS))).fence).toBeGreaterThan(lease.fence);
    });

    test('what has ended cannot be renewed: expired, released or given to another', async () => {
      const expired = await acquired(leases, 'area', NOW);
      const later = addMs(NOW, TTL_MS);
      expect(await leases.renew(expired, TTL_MS, later)).toBe(false);
      const next = await acquired(other, 'area', later);
      expect(await leases.renew(expired, TTL_MS, later)).toBe(false);
      await other.release(next);
      expect(await other.renew(next, TTL_MS, later)).toBe(false);
      await acquired(leases, 'area', later);
    });

    test('releasing an expired lease does not affect its new holder', async () => {
      const late = await acquired(leases, 'area', NOW);
      const later = addMs(NOW, TTL_MS);
      await acquired(other, 'area', later);
      await leases.release(late);
      expect(await leases.acquire('area', TTL_MS, later)).toBeUndefined();
    });

    test('each lease of a name has a greater fence than all before it, released or expired', async () => {
      let now = NOW;
      const fences: number[] = [];
      for (let round = 0; round < 6; round++) {
        const lease = await acquired(round % 2 ? leases : other, 'area', now);
        fences.push(lease.fence);
        if (round % 3 === 0) await leases.release(lease);
        now = addMs(now, TTL_MS);
      }
      expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
    });
  });
}
