import { describe, expect, test } from 'vitest';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { windowLengthMs } from '#lib/time/window.ts';
import type { PastPart } from '../parts/history-part.ts';
import { ModelSource, ORDERS } from './model-source.fixture.ts';
import { distanceMs } from './part.ts';
import { plainHalving } from './plain-halving.fixture.ts';
import { runSplit } from './run-split.fixture.ts';
import { burst, steadyTraffic } from './simulated-traffic.fixture.ts';
import { Splitter } from './splitter.ts';

const MINUTE = 60_000;
const start = upstreamInstant(Date.UTC(2026, 10, 21, 10));
const window = { start, end: addMs(start, 60 * MINUTE) };
const job: PastPart = { bbox: { west: 8, south: 47, east: 10, north: 49 }, window };
const steady = { everyMs: 10_000, atWholeSeconds: false, inMiddle: 0, seed: 1 };

describe('requests', () => {
  test('a job that fits a page takes one request, if that is known or the box is small', () => {
    const small = { ...job, bbox: { ...job.bbox, east: 8.7, north: 47.7 } };
    const source = new ModelSource(steadyTraffic(small, { ...steady, tracks: 2 }));
    expect(runSplit(source, { ...job, expectedPerSecond: 0.2, maxRequests: 99 }).answers).toHaveLength(1);
    expect(runSplit(source, { ...small, maxRequests: 99 }).answers).toHaveLength(1);
  });

  test('steady traffic of 11 pages takes at most 13', () => {
    const source = new ModelSource(steadyTraffic(job, { ...steady, tracks: 30 }));
    expect(runSplit(source, { ...job, expectedPerSecond: 3, maxRequests: 99 }).answers.length).toBeLessThanOrEqual(13);
  });

  test('steady traffic that is loaded outwards from its middle takes one or two requests more, and the nearest come first', () => {
    const source = new ModelSource(steadyTraffic(job, { ...steady, tracks: 30 }));
    const from = addMs(start, 40 * MINUTE);
    const options = { ...job, expectedPerSecond: 3, maxRequests: 99 };
    const { answers } = runSplit(source, { ...options, from }, { inFlight: 1 });
    expect(answers[0]?.part.window.start).toBe(from);
    expect(answers.length).toBeLessThanOrEqual(15);
    const distances = answers.map(({ part }) => distanceMs(part.window, from));
    expect(distances).toEqual(distances.toSorted((a, b) => a - b));
  });

  test('a seek moves what is not requested yet, and what is stays', () => {
    const splitter = new Splitter({ ...job, expectedPerSecond: 3, maxRequests: 99 });
    const [first] = splitter.next(1) as [PastPart];
    splitter.answered(first, { records: 950, truncated: false });
    expect(splitter.next(1)[0]?.window.start).toBe(first.window.end);
    const from = addMs(start, 50 * MINUTE);
    splitter.startFrom(from);
    expect(splitter.next(1)[0]?.window.start).toBe(from);
  });

  test('no part is longer than the service’s longest window, however long the job is', () => {
    const long = { ...job, window: { start, end: addMs(start, 63 * MINUTE) } };
    const source = new ModelSource(steadyTraffic(long, { ...steady, tracks: 1 }));
    const { answers } = runSplit(source, { ...long, expectedPerSecond: 0, maxRequests: 99 });
    expect(answers).toHaveLength(2);
    for (const { part } of answers) expect(windowLengthMs(part.window)).toBeLessThanOrEqual(60 * MINUTE);
  });

  test('a hub with over half a page per second is requested in smaller areas, with well-filled pages', () => {
    const minute = { ...job, window: { start, end: addMs(start, MINUTE) } };
    const hub = { tracks: 600, everyMs: 1000, atWholeSeconds: true, inMiddle: 0.5, seed: 2 };
    const { answers, records } = runSplit(new ModelSource(steadyTraffic(minute, hub)), { ...minute, maxRequests: 999 });
    expect(records.size).toBe(36_000);
    expect(answers.length / 36).toBeLessThan(1.6);
  });

  test('an overfull source is split though few records come, and the possible length is learnt', () => {
    const hidden = steadyTraffic(job, { ...steady, tracks: 300, seed: 3 });
    const source = new ModelSource(steadyTraffic(job, { ...steady, tracks: 1 }), { hidden, sourceWindow: 20_000 });
    const { answers, splitter } = runSplit(source, { ...job, expectedPerSecond: 0.1, maxRequests: 99 });
    expect(splitter.state().parts.every(({ status }) => status === 'complete')).toBe(true);
    expect(answers.length).toBeLessThan(plainHalving(source, job));
  });

  describe.each(ORDERS)(
    'the quiet time around a burst takes no request for each of its seconds, with records of %s',
    (order) => {
      test.each([0, 1])('and %i track in another box', (tracks) => {
        const small = { ...job, bbox: { ...job.bbox, east: 8.9, north: 47.9 } };
        const records = [
          ...burst({ bbox: small.bbox, start: addMs(start, 655_648), spanMs: 0, records: 900, seed: 5 }),
          ...burst({ bbox: small.bbox, start: addMs(start, 44 * MINUTE), spanMs: 5000, records: 450, seed: 6 }),
          ...steadyTraffic(small, { ...steady, everyMs: 4000, tracks }),
        ];
        const source = new ModelSource(records, { order });
        const from = addMs(start, 2_778_000);
        const { answers } = runSplit(source, { ...small, from, maxRequests: 99 }, { inFlight: 3 });
        expect(answers.length).toBeLessThanOrEqual(7);
      });
    },
  );

  test('a cached answer is not counted as a request', () => {
    const splitter = new Splitter({ ...job, expectedPerSecond: 0.1, maxRequests: 1 });
    const [part] = splitter.next(1);
    if (!part) throw new Error('no part');
    splitter.answered(part, { records: 360, truncated: false, cached: true });
    expect(splitter.state()).toMatchObject({ requests: 0, parts: [{ status: 'complete', records: 360 }] });
  });
});

describe('what stays incomplete', () => {
  test('more than a page at one instant and point: that second in the smallest box around it, and nothing else', () => {
    const at = addMs(start, 17 * MINUTE + 250);
    const point = { west: 8.4, south: 47.6, east: 8.4, north: 47.6 };
    const around = steadyTraffic(job, { ...steady, tracks: 20 });
    const source = new ModelSource([
      ...around,
      ...burst({ bbox: point, start: at, spanMs: 0, records: 1200, seed: 4 }),
    ]);
    const { splitter } = runSplit(source, { ...job, maxRequests: 999 });
    const incomplete = splitter.state().parts.filter(({ status }) => status !== 'complete');
    expect(incomplete).toMatchObject([
      {
        status: 'incomplete',
        window: { start: epochMs(start) + 17 * MINUTE, end: epochMs(start) + 17 * MINUTE + 1000 },
        records: 1000,
      },
    ]);
    const bbox = incomplete[0]?.bbox ?? job.bbox;
    expect([bbox.west <= 8.4 && bbox.east >= 8.4, bbox.south <= 47.6 && bbox.north >= 47.6]).toEqual([true, true]);
    expect(Math.max(bbox.east - bbox.west, bbox.north - bbox.south)).toBeLessThan(1 / 32);
  });
});

describe('the order of parts', () => {
  test('only one part is returned until something is measured', () => {
    const splitter = new Splitter({ ...job, expectedPerSecond: 5, maxRequests: 99 });
    expect(splitter.next(4)).toHaveLength(1);
    expect(splitter.next(4)).toHaveLength(0);
  });

  test('a big job is requested at several positions at once, the earliest first', () => {
    const splitter = new Splitter({ ...job, expectedPerSecond: 50, maxRequests: 99 });
    const [first] = splitter.next(4) as [PastPart];
    expect(first.window.start).toBe(start);
    splitter.answered(first, { records: 800, truncated: false });
    const parts = splitter.next(4);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts[0]?.window.start).toBe(first.window.end);
  });

  test('the rest of a truncated part is requested together with what follows it', () => {
    const splitter = new Splitter({ ...job, expectedPerSecond: 1, maxRequests: 99 });
    const [first] = splitter.next(1) as [PastPart];
    splitter.answered(first, { records: 780, truncated: false });
    const [second] = splitter.next(1) as [PastPart];
    splitter.answered(second, { records: 1000, truncated: true });
    const [third] = splitter.next(1) as [PastPart];
    expect(third.window.start).toBe(second.window.start);
    expect(third.window.end).toBeLessThan(epochMs(second.window.end));
    expect(splitter.state().parts.map(({ status }) => status)).toEqual(['complete', 'loading', 'waiting']);
    splitter.answered(third, { records: 900, truncated: false });
    const [fourth] = splitter.next(1) as [PastPart];
    expect(fourth.window.end).toBeGreaterThan(epochMs(second.window.end));
  });

  test('a failed part is returned again after a retry, not before', () => {
    const splitter = new Splitter({ ...job, expectedPerSecond: 0.1, maxRequests: 99 });
    const [part] = splitter.next(1) as [PastPart];
    splitter.failed(part);
    expect(splitter.next(4)).toEqual([]);
    expect(splitter.state().parts).toMatchObject([{ status: 'failed' }]);
    splitter.retry();
    expect(splitter.next(4)).toMatchObject([{ window }]);
  });

  test('a part that could not be read continues as two halves; once they succeed, later parts are shorter than it was', () => {
    const splitter = new Splitter({ ...job, expectedPerSecond: 0.7, maxRequests: 99 });
    const [first] = splitter.next(1) as [PastPart];
    const halves = splitter.halve(first) as [PastPart, PastPart];
    const [early, late] = halves.map((half) => windowLengthMs(half.window)) as [number, number];
    expect(Math.abs(early - late)).toBeLessThanOrEqual(1000);
    expect(halves.map(({ window }) => window)).toEqual([
      { start: first.window.start, end: halves[1].window.start },
      { start: halves[0].window.end, end: first.window.end },
    ]);
    expect(splitter.state().parts.map(({ status }) => status)).toEqual(['loading', 'loading', 'waiting']);
    for (const half of halves) splitter.answered(half, { records: 300, truncated: false });
    const [next] = splitter.next(1) as [PastPart];
    expect(next.window.start).toBe(first.window.end);
    expect(windowLengthMs(next.window)).toBeLessThan(windowLengthMs(first.window));
  });

  test('a part is not halved beyond the allowed requests, and keeps loading', () => {
    const splitter = new Splitter({ ...job, expectedPerSecond: 0.1, maxRequests: 2 });
    const [part] = splitter.next(1) as [PastPart];
    expect(splitter.halve(part)).toEqual([]);
    splitter.failed(part);
    expect(splitter.state().parts).toMatchObject([{ status: 'failed', window }]);
  });

  test('a part that is not loading is an error', () => {
    const splitter = new Splitter({ ...job, maxRequests: 99 });
    expect(() => splitter.failed(job)).toThrow('not loading');
    const [part] = splitter.next(1) as [PastPart];
    splitter.answered(part, { records: 1, truncated: false });
    expect(() => splitter.answered(part, { records: 1, truncated: false })).toThrow('not loading');
  });
});
