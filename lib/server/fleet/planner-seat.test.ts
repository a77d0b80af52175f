import { expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { EmbeddedLeases } from '../embedded/embedded-leases.ts';
import type { Leases } from '../ports/lease.ts';
import { PlannerSeat, SEAT_MS } from './planner-seat.ts';

/** Two servers: the clock on the wall is the same at both, and each has a monotonic one. */
function twoSeats(leases: Leases = new EmbeddedLeases()) {
  let wallMs = 0;
  let monotonicMs = 0;
  const options = { leases, now: () => localInstant(wallMs), monotonicMs: () => monotonicMs };
  return {
    one: new PlannerSeat(options),
    other: new PlannerSeat(options),
    pass(ms: number) {
      wallMs += ms;
      monotonicMs += ms;
    },
    setWall(ms: number) {
      wallMs += ms;
    },
  };
}

test('is of one at a time, for as long as it is renewed', async () => {
  const { one, other, pass } = twoSeats();
  const first = await one.beat();
  expect(first).toBeDefined();
  for (let second = 0; second < 10; second++) {
    pass(1000);
    expect(await one.beat()).toEqual(first);
    expect(await other.beat()).toBeUndefined();
  }
  pass(SEAT_MS);
  expect(one.lease).toBeUndefined();
  const next = await other.beat();
  expect(next?.fence).toBeGreaterThan(first?.fence ?? 0);
  expect(await one.beat()).toBeUndefined();
});

test('is good for nothing new in its last second', async () => {
  const { one, pass } = twoSeats();
  expect(one.isFirm).toBe(false);
  await one.beat();
  pass(SEAT_MS - 1001);
  expect(one.isFirm).toBe(true);
  pass(1);
  expect([one.isFirm, one.lease !== undefined]).toEqual([false, true]);
  await one.beat();
  expect(one.isFirm).toBe(true);
  await one.release();
  expect(one.isFirm).toBe(false);
});

test('is left at once by who leaves', async () => {
  const { one, other } = twoSeats();
  await one.beat();
  await one.release();
  expect(one.lease).toBeUndefined();
  expect(await other.beat()).toBeDefined();
});

test('ends by the clock that nobody sets, also where the one on the wall was set back', async () => {
  const { one, pass, setWall } = twoSeats();
  await one.beat();
  pass(SEAT_MS - 1);
  setWall(-3_600_000);
  expect(one.lease).toBeDefined();
  pass(1);
  expect(one.lease).toBeUndefined();
});

test('counts from when it was asked for, however late the answer comes', async () => {
  const leases = new EmbeddedLeases();
  const seats = twoSeats({
    acquire: async (...where) => {
      const lease = await leases.acquire(...where);
      seats.pass(SEAT_MS);
      return lease;
    },
    renew: (...where) => leases.renew(...where),
    release: (lease) => leases.release(lease),
  });
  expect(await seats.one.beat()).toBeUndefined();
  expect(seats.one.lease).toBeUndefined();
});
