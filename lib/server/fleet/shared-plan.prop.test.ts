import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { addMs, epochMs, type LocalInstant, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { areaOf } from '../live/live-plan.ts';
import type { RefreshJob } from '../live/refresh-job.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import { UpstreamClock } from '../upstream/upstream-clock.ts';
import {
  isLater,
  jobOf,
  parsePlanMessage,
  planMessageStart,
  planMessageText,
  type SharedPlan,
  sharedJob,
} from './shared-plan.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const PLAN: SharedPlan = {
  planner: 'one',
  jobs: [],
  viewers: 0,
  replicas: [],
  isKeyRefused: false,
  operations: { rid: { kind: 'proven' }, adsb: { kind: 'unproven' } },
  plannedFor: {},
};

const at = fc.integer({ min: -100_000, max: 100_000 }).map((ms) => addMs(NOW, ms));
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const byOperator = fc
  .dictionary(fc.string(), fc.integer({ min: 1, max: 99 }), { maxKeys: 4 })
  .map((record) => new Map(Object.entries(record)));
const cooldown: fc.Arbitrary<Cooldown> = fc.oneof(
  fc.record({
    kind: fc.constant('timed' as const),
    reason: fc.constantFrom(...(Object.keys(FAILURES) as FailureReason[])),
    until: at,
  }),
  fc.constant({ kind: 'latched' as const, reason: 'key_refused' as const }),
  fc.constant({ kind: 'reserved' as const, reason: 'allowance_used_up' as const }),
);
const job: fc.Arbitrary<RefreshJob> = fc.record({
  area: fc
    .record({
      layer: fc.constantFrom('rid' as const, 'adsb' as const),
      west: fc.double({ min: -180, max: -1, noNaN: true }),
      south: fc.double({ min: -90, max: -1, noNaN: true }),
      east: fc.double({ min: 1, max: 180, noNaN: true }),
      north: fc.double({ min: 1, max: 90, noNaN: true }),
    })
    .map(({ layer, ...bbox }) => areaOf(layer, bbox)),
  number: fc.nat(),
  refreshes: fc.nat(),
  apartFor: maybe(fc.string()),
  views: byOperator,
  cost: fc.integer({ min: 1, max: 50 }),
  intervalMs: fc.integer({ min: 1, max: 999 }).map((digits) => digits * 1000),
  jitter: fc.double({ min: 0.5, max: 1.5, noNaN: true }),
  startedAt: maybe(at),
  spending: fc.constantFrom('scheduled' as const, 'first-view' as const),
  turn: maybe(fc.record({ claims: byOperator, at: maybe(at) })),
  running: fc.constant(undefined),
  isElsewhere: fc.constant(false),
  isChanged: fc.constant(true),
  failure: maybe(fc.record({ cooldown, since: at.map((local) => upstreamInstant(epochMs(local))) })),
});

/** Of a server whose clock is that much ahead of the upstream's. */
function clockAhead(ms: number): UpstreamClock {
  const clock = new UpstreamClock(() => addMs(NOW, ms));
  clock.sample(upstreamInstant(epochMs(NOW)), addMs(NOW, ms), addMs(NOW, ms));
  return clock;
}

function moved(job: RefreshJob, ms: number): RefreshJob {
  const move = (instant: LocalInstant | undefined) => instant && addMs(instant, ms);
  const { startedAt, turn, failure } = job;
  const timed =
    failure?.cooldown.kind === 'timed' ? { ...failure.cooldown, until: addMs(failure.cooldown.until, ms) } : undefined;
  return {
    ...job,
    startedAt: move(startedAt),
    turn: turn && { ...turn, at: move(turn.at) },
    failure: failure && { ...failure, cooldown: timed ?? failure.cooldown },
  };
}

test('the jobs of a plan are the same at another server, at its own clock', () => {
  fc.assert(
    fc.property(fc.array(job, { maxLength: 5 }), fc.integer({ min: -90_000, max: 90_000 }), (jobs, ahead) => {
      const [here, there] = [clockAhead(0), clockAhead(ahead)];
      const plan = { ...PLAN, jobs: jobs.map((each) => sharedJob(each, undefined, here)) };
      const text = planMessageText({ fence: 3, number: 4, at: 5 }, JSON.stringify(plan));
      expect(text.startsWith(planMessageStart(3))).toBe(true);
      const message = parsePlanMessage(text);
      expect(message?.plan?.jobs.map((each) => jobOf(each, there))).toEqual(jobs.map((each) => moved(each, ahead)));
    }),
  );
});

test('of two editions one is the later', () => {
  const edition = fc.record({ fence: fc.nat(3), number: fc.nat(3) });
  fc.assert(
    fc.property(edition, edition, (one, other) => {
      const isSame = one.fence === other.fence && one.number === other.number;
      expect(isLater(one, other) || isLater(other, one)).toBe(!isSame);
      expect(isLater(one, other) && isLater(other, one)).toBe(false);
      expect(isLater(one, undefined)).toBe(true);
    }),
  );
});

test('what a newer version adds is ignored, what it may lack has a meaning, and anything else is no plan', () => {
  const message = (plan: object) =>
    parsePlanMessage(planMessageText({ fence: 1, number: 1, at: 1 }, JSON.stringify(plan)));
  const { planner, jobs, viewers, operations, plannedFor } = PLAN;
  expect(message({ planner, jobs, viewers, operations, plannedFor, added: 1 })?.plan).toEqual(PLAN);
  expect(parsePlanMessage(planMessageText({ fence: 1, number: 1, at: 1 }))).toEqual({
    fence: 1,
    number: 1,
    at: 1,
    plan: undefined,
  });
  const shared = sharedJob(fc.sample(job, 1)[0] as RefreshJob, undefined, clockAhead(0));
  const failure = { cooldown: { kind: 'timed', reason: 'a_reason_of_tomorrow', until: 1 }, since: 1 };
  const [known] = message({ ...PLAN, jobs: [{ ...shared, failure }] })?.plan?.jobs ?? [];
  expect(known).toMatchObject({ number: shared.number });
  expect(known?.failure).toBeUndefined();
  expect(
    message({ ...PLAN, operations: { rid: { kind: 'resting' }, adsb: { kind: 'proven' } } })?.plan?.operations.rid,
  ).toEqual({
    kind: 'unproven',
  });
  for (const bad of [
    {},
    { ...PLAN, jobs: 7 },
    { ...PLAN, jobs: [{ ...shared, cost: 0 }] },
    { ...PLAN, jobs: [{ ...shared, box: [1] }] },
  ])
    expect(message(bad)).toBeUndefined();
  expect(parsePlanMessage('')).toBeUndefined();
});
