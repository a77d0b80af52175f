import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bbox, bboxContains, bboxesOverlap, bboxSizeDeg2, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { windowContains, windowLengthMs } from '#lib/time/window.ts';
import { runs } from '#testing/budget.ts';
import type { PastPart } from '../parts/history-part.ts';
import { quarterBbox } from './box-slices.ts';
import { type ModelRecord, ModelSource, ORDERS } from './model-source.fixture.ts';
import type { PartState } from './part.ts';
import { plainHalving } from './plain-halving.fixture.ts';
import { recordKey, runSplit } from './run-split.fixture.ts';
import { burst, bursts } from './simulated-traffic.fixture.ts';
import type { Splitter } from './splitter.ts';
import { isSmallestWindow } from './whole-seconds.ts';

const HOUR = Date.UTC(2026, 10, 21, 10);

const side = fc.oneof(
  fc.integer({ min: 1, max: 64 }).map((parts) => parts / 64),
  fc.double({ min: 0.01, max: 5, noNaN: true }),
);
interface Job extends PastPart {
  readonly from: UpstreamInstant | undefined;
}

const job: fc.Arbitrary<Job> = fc
  .record({
    west: fc.double({ min: -180, max: 175, noNaN: true }),
    south: fc.double({ min: -90, max: 85, noNaN: true }),
    width: side,
    height: side,
    startMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_600_000 })),
    lengthMs: fc.oneof(fc.constant(3_600_000), fc.integer({ min: 1, max: 3_600_000 })),
    fromS: fc.option(fc.integer({ min: 0, max: 7200 }), { nil: undefined }),
  })
  .map(({ west, south, width, height, startMs, lengthMs, fromS }) => ({
    from: fromS === undefined ? undefined : upstreamInstant(HOUR + fromS * 1000),
    bbox: { west, south, east: west + width, north: south + height },
    window: { start: upstreamInstant(HOUR + startMs), end: upstreamInstant(HOUR + startMs + lengthMs) },
  }));

interface Scene {
  readonly job: Job;
  readonly records: readonly ModelRecord[];
  readonly source: ModelSource;
}

const scene: fc.Arbitrary<Scene> = fc
  .record({
    job,
    seed: fc.integer({ min: 1, max: 1000 }),
    order: fc.constantFrom(...ORDERS),
    even: fc.constantFrom(0, 0, 40, 900, 3000, 7000),
    burstCount: fc.constantFrom(0, 0, 1, 5),
    instant: fc.constantFrom(0, 0, 900, 2500),
    corner: fc.constantFrom(0, 0, 3000),
    point: fc.constantFrom(0, 0, 0, 1500),
    hidden: fc.constantFrom(0, 0, 4000),
  })
  .map(({ job, seed, order, even, burstCount, instant, corner, point, hidden }) => {
    const { bbox, window } = job;
    const { start } = window;
    const spanMs = windowLengthMs(window);
    const at = addMs(start, (seed * 7919) % spanMs);
    const small = { ...bbox, east: bbox.west + lonSpanDeg(bbox) / 50, north: bbox.south + latSpanDeg(bbox) / 50 };
    const records = [
      ...burst({ bbox, start, spanMs, records: even, seed }),
      ...bursts(job, { count: burstCount, records: 600, spanMs: Math.min(spanMs, 5000), seed: seed + 1 }),
      ...burst({ bbox, start: at, spanMs: 0, records: instant, seed: seed + 2 }),
      ...burst({ bbox: small, start, spanMs, records: corner, seed: seed + 3 }),
      ...burst({
        bbox: { ...bbox, east: bbox.west, north: bbox.south },
        start: at,
        spanMs: 0,
        records: point,
        seed: seed + 4,
      }),
    ];
    const others = burst({ bbox, start, spanMs, records: hidden, seed: seed + 5 });
    const source = new ModelSource(records, { order, hidden: others, ...(hidden > 0 && { sourceWindow: 1500 }) });
    return { job, records, source };
  });

const inFlight = fc.integer({ min: 1, max: 4 });
const UNLIMITED = 100_000;

/** No overlap, nothing outside, and the same volume of time and area. */
function expectPartition(parts: readonly PartState[], { bbox, window }: PastPart): void {
  // An assertion for each pair would take most of the time.
  const outside = parts.filter(
    (part) =>
      part.window.start < window.start ||
      part.window.end > window.end ||
      part.window.end <= part.window.start ||
      !bboxContainsBox(bbox, part.bbox),
  );
  const overlapping = parts.filter((part, index) =>
    parts
      .slice(index + 1)
      .some(
        (other) =>
          part.window.start < other.window.end &&
          other.window.start < part.window.end &&
          bboxesOverlap(part.bbox, other.bbox),
      ),
  );
  expect({ outside, overlapping }).toEqual({ outside: [], overlapping: [] });
  const volume = parts.reduce((sum, part) => sum + bboxSizeDeg2(part.bbox) * windowLengthMs(part.window), 0);
  expect(volume / (bboxSizeDeg2(bbox) * windowLengthMs(window))).toBeCloseTo(1, 9);
}

function liesIn({ bbox, window }: PastPart, { lon, lat, observedAt }: ModelRecord): boolean {
  return windowContains(window, observedAt) && bboxContains(bbox, lon, lat);
}

/** One run serves all checks, because runs are slow. */
test('with unlimited requests a job partitions into parts that are complete, or as small and overfull as can be', () => {
  fc.assert(
    fc.property(scene, inFlight, fc.integer(), ({ job, records, source }, concurrency, seed) => {
      const run = runSplit(source, { ...job, maxRequests: UNLIMITED }, { inFlight: concurrency, seed });
      const { parts, requestsExpected } = run.splitter.state();
      expectPartition(parts, job);
      expect(requestsExpected).toBe(0);
      const incomplete = parts.filter(({ status }) => status === 'incomplete');
      expect(parts.filter(({ status }) => status !== 'complete')).toEqual(incomplete);
      expectEveryRecordOfTheRest(incomplete, records, run.records);
      for (const part of incomplete) expectSmallestAndOverfull(part, source);
      expectNoRequestAroundAnOverfullPart(run.answers);
      expect(run.answers.length, 'requests, against plain halving').toBeLessThanOrEqual(
        1.5 * plainHalving(source, job) + 12,
      );
    }),
    { numRuns: runs(100) },
  );
});

function expectEveryRecordOfTheRest(
  incomplete: readonly PastPart[],
  records: readonly ModelRecord[],
  came: ReadonlyMap<string, unknown>,
): void {
  const missing = records.filter((record) => !came.has(recordKey(record)));
  expect(missing.filter((record) => !incomplete.some((part) => liesIn(part, record)))).toEqual([]);
  expect(came.size + missing.length).toBe(new Set(records.map(recordKey)).size);
}

function expectSmallestAndOverfull(part: PastPart, source: ModelSource): void {
  expect(isSmallestWindow(part.window)).toBe(true);
  expect(quarterBbox(part.bbox)).toEqual([]);
  expect(source.isOverfull(part)).toBe(true);
}

function expectNoRequestAroundAnOverfullPart(answers: ReturnType<typeof runSplit>['answers']): void {
  const overfull: PastPart[] = [];
  for (const { part, truncated } of answers) {
    const { bbox, window } = part;
    const covers = (known: PastPart) =>
      known.window.start >= window.start && known.window.end <= window.end && bboxContainsBox(bbox, known.bbox);
    expect(overfull.filter(covers)).toEqual([]);
    if (truncated) overfull.push(part);
  }
}

function bboxContainsBox(outer: Bbox, inner: Bbox): boolean {
  return bboxContains(outer, inner.west, inner.south) && bboxContains(outer, inner.east, inner.north);
}

test('the parts always partition the job, also while parts fail and are retried', () => {
  fc.assert(
    fc.property(scene, inFlight, fc.integer(), ({ job, source }, concurrency, seed) => {
      let checks = 0;
      const check = (splitter: Splitter) => {
        // The check is quadratic; the first steps include every kind.
        if (checks++ < 40) expectPartition(splitter.state().parts, job);
      };
      const { splitter } = runSplit(
        source,
        { ...job, maxRequests: UNLIMITED },
        { inFlight: concurrency, seed, failing: 0.2, check },
      );
      const statuses = new Set(splitter.state().parts.map(({ status }) => status));
      for (const status of statuses) expect(['complete', 'incomplete', 'failed']).toContain(status);
    }),
    { numRuns: runs(60) },
  );
});

test('no more parts are requested than allowed, and the rest is reported as not requested', () => {
  fc.assert(
    fc.property(scene, inFlight, fc.integer({ min: 0, max: 6 }), ({ job, source }, concurrency, maxRequests) => {
      const { splitter, answers } = runSplit(source, { ...job, maxRequests }, { inFlight: concurrency });
      const { parts, requests } = splitter.state();
      expect(answers.length).toBeLessThanOrEqual(maxRequests);
      expect(requests).toBe(answers.length);
      expectPartition(parts, job);
      for (const { status } of parts) expect(['complete', 'incomplete', 'not-requested']).toContain(status);
      if (answers.length < maxRequests) expect(parts.some(({ status }) => status === 'not-requested')).toBe(false);
    }),
    { numRuns: runs(100) },
  );
});

test('the same calls return the same parts', () => {
  fc.assert(
    fc.property(scene, inFlight, fc.integer(), ({ job, records }, concurrency, seed) => {
      const run = () =>
        runSplit(new ModelSource(records), { ...job, maxRequests: UNLIMITED }, { inFlight: concurrency, seed }).answers;
      expect(run()).toEqual(run());
    }),
    { numRuns: runs(30) },
  );
});

test('cached windows are never requested, and the rest is', () => {
  fc.assert(
    fc.property(
      scene,
      fc.integer({ min: -3_000_000, max: 3_000_000 }),
      fc.integer({ min: 1, max: 3_000_000 }),
      (given, from, lengthMs) => {
        const { job, source } = given;
        const start = addMs(job.window.start, from);
        const window = { start, end: addMs(start, lengthMs) };
        const records = source.all({ bbox: job.bbox, window });
        const cached = [{ window, records: records.length, observedAts: records.map(({ observedAt }) => observedAt) }];
        const { answers, splitter } = runSplit(source, { ...job, maxRequests: UNLIMITED, cached });
        for (const { part } of answers) {
          expect(part.window.start >= window.end || part.window.end <= window.start).toBe(true);
        }
        expectPartition(splitter.state().parts, job);
      },
    ),
    { numRuns: runs(60) },
  );
});
