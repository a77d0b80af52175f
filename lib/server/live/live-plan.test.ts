import { expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { AreaReads } from './area-reads.ts';
import { AreaSnapshots } from './area-snapshots.ts';
import { LivePlan } from './live-plan.ts';
import { DemandOfAll } from './plan/demand-of-all.ts';
import { Densities } from './plan/densities.ts';

const NOW_MS = Date.UTC(2026, 10, 29);
const SOUTH: Bbox = { west: 9, south: 49, east: 9.5, north: 49.25 };
const NORTH: Bbox = { west: 9, south: 49.25, east: 9.5, north: 49.5 };
const BOTH: Bbox = { west: 9, south: 49, east: 9.5, north: 49.5 };

test('plans one job for an area that a waiting operator and the others need, with the views and claims of both', () => {
  const demand = new DemandOfAll();
  for (const [operator, page, box] of [
    ['anna', '', BOTH],
    ['ben', 'south', SOUTH],
    ['ben', 'north', NORTH],
  ] as const)
    demand.own.polled({ operator, session: operator, page }, [box], ['adsb'], localInstant(NOW_MS));
  const plan = new LivePlan(demand, new AreaSnapshots(), new Densities(new AreaReads()));
  plan.follow(new Set(['ben']), localInstant(NOW_MS), upstreamInstant(NOW_MS));
  expect(plan.jobs.map(({ number, apartFor }) => [number, apartFor])).toEqual([[1, undefined]]);
  const [job] = plan.jobs;
  expect([...(job?.views ?? [])]).toEqual([
    ['anna', 1],
    ['ben', 2],
  ]);
  expect([...(job?.queued?.claims ?? [])]).toEqual([
    ['anna', 1],
    ['ben', 2],
  ]);
});
