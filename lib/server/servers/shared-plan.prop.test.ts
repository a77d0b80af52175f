import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WAITS } from '#lib/api/layer-reason.ts';
import { addMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { AreaSnapshots } from '../live/area-snapshots.ts';
import type { PlannedAreas } from '../live/planned-areas.ts';
import type { RefreshJob } from '../live/refresh-job.ts';
import { areaOf } from '../live/snapshots.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import type { MayRequest } from '../upstream/may-request.ts';
import { UpstreamClock } from '../upstream/upstream-clock.ts';
import { answerOf, jobOf, readPlan, writtenPlan } from './shared-plan.ts';

const NOW = localInstant(Date.UTC(2026, 10, 27));
const clock = new UpstreamClock(() => NOW);

const later = fc.integer({ min: 1, max: 86_400_000 }).map((ms) => addMs(NOW, ms));
const cooldown: fc.Arbitrary<Cooldown> = fc.oneof(
  later.map((until) => ({ kind: 'timed' as const, reason: 'service_busy' as const, until })),
  fc.constant({ kind: 'latched' as const, reason: 'key_refused' as const }),
  fc.constant({ kind: 'reserved' as const, reason: 'allowance_used_up' as const }),
);
const answer: fc.Arbitrary<MayRequest> = fc.oneof(
  fc.constant('yes' as const),
  cooldown,
  fc.record({
    kind: fc.constant('waits' as const),
    reason: fc.constantFrom(...(Object.keys(WAITS) as (keyof typeof WAITS)[])),
    until: fc.option(later, { nil: undefined }),
  }),
);
const job: fc.Arbitrary<RefreshJob> = fc.record({
  area: fc.integer({ min: -20, max: 20 }).map((west) => areaOf('adsb', { west, south: 40, east: west + 1, north: 41 })),
  number: fc.nat(),
  refreshes: fc.constant(0),
  apartFor: fc.option(fc.string(), { nil: undefined }),
  views: fc.nat({ max: 9 }).map((count) => new Map([['', count]])),
  cost: fc.integer({ min: 1, max: 40 }),
  intervalMs: fc.constantFrom(1000, 2500, 60_000),
  jitter: fc.constant(1),
  startedAt: fc.option(later, { nil: undefined }),
  spending: fc.constantFrom('scheduled' as const, 'first-view' as const),
  queued: fc.option(
    fc.record({
      claims: fc.dictionary(fc.string(), fc.nat()).map((claims) => new Map(Object.entries(claims))),
      at: fc.option(later, { nil: undefined }),
    }),
    { nil: undefined },
  ),
  running: fc.constant(undefined),
  isChanged: fc.constant(true),
  failure: fc.option(fc.record({ cooldown, since: fc.nat().map(upstreamInstant) }), { nil: undefined }),
});

test('a reader has every area of the plan as the writer has it, and why it is not refreshed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(job, answer), { maxLength: 5 }), (jobs) => {
      const answers = new Map(jobs);
      const planned: PlannedAreas = {
        jobs: jobs.map(([each]) => each),
        ratePerS: 1.5,
        refreshesPerS: 0,
        viewers: 3,
        isKeyRefused: false,
        register: async () => {},
        jobsOver: () => [],
        mayRequest: (each) => answers.get(each) ?? 'yes',
        expectedPerSecond: () => undefined,
        operation: () => ({ kind: 'proven' }),
        retryNow: () => {},
      };
      const written = writtenPlan({
        planned,
        snapshots: new AreaSnapshots(),
        clock,
        writer: 'a',
        failing: [],
        servers: [],
        plannedFor: { b: 7 },
      });
      const plan = readPlan(JSON.stringify(written));
      expect(plan?.jobs.map((each) => jobOf(each, clock))).toEqual(planned.jobs);
      expect(plan?.jobs.map((each) => answerOf(each, clock, NOW))).toEqual(jobs.map(([, each]) => each));
      expect(plan).toMatchObject({ writer: 'a', viewers: 3, ratePerS: 1.5, plannedFor: { b: 7 } });
    }),
  );
});

test('rejects texts that are no plan', () => {
  for (const body of ['', '{}', 'null', '{"jobs":[]}', '[1]']) expect(readPlan(body)).toBeUndefined();
});

test('a reason that a newer server gives is left out, and the area stays', () => {
  const body = {
    at: 0,
    writer: 'a',
    viewers: 0,
    servers: [],
    isKeyRefused: false,
    operations: { rid: { kind: 'unheard-of' }, adsb: { kind: 'proven' } },
    plannedFor: {},
    jobs: [
      {
        layer: 'rid',
        box: [0, 0, 1, 1],
        number: 1,
        views: 1,
        cost: 1,
        intervalMs: 1000,
        spending: 'scheduled',
        isRunning: false,
        waits: { kind: 'waits', reason: 'unheard_of' },
        failure: { cooldown: { kind: 'timed', reason: 'unheard_of', until: 5 }, since: 1 },
      },
    ],
  };
  const plan = readPlan(JSON.stringify(body));
  expect(plan?.operations.rid).toEqual({ kind: 'unproven' });
  expect(plan?.jobs.map((each) => [jobOf(each, clock).failure, answerOf(each, clock, NOW)])).toEqual([
    [undefined, 'yes'],
  ]);
});
