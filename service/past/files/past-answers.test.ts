import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { LAYERS } from '#lib/contract/operation.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { listedSource } from '../../conformance/listed-source.ts';
import type { Observation, Source } from '../../sources/observation.ts';
import { readHistoryWindow } from '../../store/history-window.ts';
import { arbitraryObservations } from '../arbitrary-observation.fixture.ts';
import type { Past } from '../past.ts';
import { PERIOD_MS, periodStart } from '../period.ts';
import { asStored } from '../stored-observation.ts';
import { endBenches, openedBench, PastBench, START, seen, WORLD } from './past-bench.fixture.ts';

afterEach(endBenches);

describe('what takes no more', () => {
  it('counts and drops what comes for a sealed period, and what has not begun', async () => {
    const bench = await openedBench();
    await bench.append(seen(1, 1000));
    await bench.append(seen(1, 3 * PERIOD_MS));
    await bench.sealAll();
    await bench.append(seen(1, 2000), seen(2, 2000, { layer: 'rid' }));
    expect(bench.past.state().dropped).toEqual({ untimely: 3, unstorable: 0, unwritten: 0 });
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
    expect((await bench.answer('rid')).observations).toEqual([]);
  });

  it('takes nothing into a period whose segment exists, whatever the clock says', async () => {
    const bench = await openedBench();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    bench.now = addMs(START, PERIOD_MS);
    await bench.reopen();
    await bench.append(seen(1, 2000));
    expect(bench.past.state().dropped.untimely).toBe(1);
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
  });

  it('counts what can’t be stored, and stores the rest', async () => {
    const bench = await openedBench();
    await bench.append(seen(1, 1000, { sourceId: '3c66b0' }), seen(1, 1000, { lat: 91 }), seen(1, 1000));
    expect(bench.past.state().dropped).toEqual({ untimely: 0, unstorable: 2, unwritten: 0 });
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
  });
});

describe('sealing', () => {
  it('changes no answer, not even while it goes on', async () => {
    const bench = await openedBench();
    await bench.append(...Array.from({ length: 9000 }, (_, index) => seen(index % 50, index * 30)));
    const bbox = { west: 8, south: 47, east: 9, north: 48 };
    const window = { start: addMs(START, 1000), end: addMs(START, 250_000) };
    const before = await bench.answer('adsb', bbox, window);
    expect(before.observations).toHaveLength(1000);
    let isSealed = false;
    const sealing = bench.sealAll().then(() => {
      isSealed = true;
    });
    let answers = 0;
    for (; !isSealed; answers += 1) {
      expect(await bench.answer('adsb', bbox, window)).toEqual(before);
      await setImmediate();
    }
    await sealing;
    expect(answers).toBeGreaterThan(1);
    expect(bench.past.state().segments).toBe(1);
    expect(await bench.answer('adsb', bbox, window)).toEqual(before);
  });

  it('waits for what was taken before', async () => {
    const bench = await openedBench();
    bench.past.append([seen(1, 1000)]);
    await bench.sealAll();
    expect(bench.past.state()).toMatchObject({ segments: 1, dropped: { untimely: 0, unwritten: 0 } });
    await bench.reopen();
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
  });
});

describe('damage', () => {
  it('before the sealing leaves the rest, marked as not whole, also once it is sealed', async () => {
    const bench = await openedBench();
    for (const offsetMs of [1000, 2000, 3000]) await bench.append(seen(1, offsetMs));
    await bench.past.close();
    bench.spoilWrite(1);
    await bench.open();
    const left = { observations: [seen(1, 1000), seen(1, 3000)], more: false, isWhole: false };
    expect(await bench.answer()).toEqual(left);
    await bench.sealAll();
    await bench.reopen();
    expect(await bench.answer()).toEqual(left);
  });

  it('of any byte of a segment makes answers over it truncated, and is reported once', async () => {
    const bench = await openedBench();
    const observations = Array.from({ length: 40 }, (_, index) => seen(index % 4, 1000 * index));
    await bench.append(...observations);
    await bench.sealAll();
    const whole = readFileSync(bench.segmentFile());
    const asked = {
      layer: 'adsb',
      bbox: WORLD,
      window: { start: START, end: addMs(START, HOUR_MS) },
      limit: 500,
    } as const;
    for (let at = 0; at < whole.length; at += 1) {
      const spoilt = Buffer.from(whole);
      spoilt[at]! ^= 0x10;
      writeFileSync(bench.segmentFile(), spoilt);
      await bench.reopen({ cacheBytes: 0 });
      bench.entries.length = 0;
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const { entries, truncated } = await readHistoryWindow(
          { live: () => [], history: (...of) => bench.past.history(...of) },
          (id) => id,
          asked,
        );
        expect([at, truncated]).toEqual([at, true]);
        for (const entry of entries) expect(observations).toContainEqual(entry.observation);
      }
      expect(bench.entries).toHaveLength(1);
      // The number of a newer version is no damage.
      expect([at, bench.past.state().damagedSegments]).toEqual([at, at === whole.length - 8 ? 0 : 1]);
      const later = { start: addMs(START, HOUR_MS), end: addMs(START, 2 * HOUR_MS) };
      expect(await bench.answer('adsb', WORLD, later)).toMatchObject({ isWhole: true });
      if (at > 30) at += at < whole.length - 80 ? 25 : 3;
    }
  });

  it('of a segment that is cut off or missing makes answers over its five minutes truncated', async () => {
    const bench = await openedBench();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    const whole = readFileSync(bench.segmentFile());
    for (const left of [0, 5, whole.length - 1, undefined]) {
      if (left === undefined) rmSync(bench.segmentFile());
      else writeFileSync(bench.segmentFile(), whole.subarray(0, left));
      await bench.reopen({ cacheBytes: 0 });
      expect(await bench.answer()).toEqual({ observations: [], more: false, isWhole: false });
    }
    writeFileSync(bench.segmentFile(), whole);
    await bench.reopen();
    expect(await bench.answer()).toEqual({ observations: [seen(1, 1000)], more: false, isWhole: true });
  });
});

describe('what is kept', () => {
  it('is so many days, and the oldest moment is that of the oldest observation kept', async () => {
    const bench = await openedBench({ days: 2 });
    expect(bench.past.oldestAt()).toBeUndefined();
    await bench.append(seen(1, 250_000));
    expect(bench.past.oldestAt()).toEqual(addMs(START, 250_000));
    await bench.append(seen(1, 100_000, { layer: 'rid' }));
    expect(bench.past.oldestAt()).toEqual(addMs(START, 100_000));
    await bench.sealAll();
    bench.now = addMs(START, 2 * DAY_MS);
    await bench.append(seen(1, 2 * DAY_MS));
    await bench.past.maintain();
    expect(bench.past.oldestAt()).toEqual(addMs(START, 100_000));
    expect(bench.past.keptSince()).toBeUndefined();
    bench.now = addMs(START, 2 * DAY_MS + PERIOD_MS);
    await bench.past.maintain();
    expect(bench.past.oldestAt()).toEqual(addMs(START, 2 * DAY_MS));
    expect(bench.past.keptSince()).toEqual(addMs(START, PERIOD_MS));
    await bench.reopen({ days: 2 });
    expect(bench.past.state().segments).toBe(0);
    expect(bench.past.keptSince()).toEqual(addMs(START, PERIOD_MS));
    expect((await bench.answer()).observations).toEqual([]);
  });

  const fill = async (bench: PastBench, days: number) => {
    for (let at = 0; at < days * DAY_MS; at += 6 * HOUR_MS) {
      bench.now = addMs(START, at);
      await bench.append(seen(1, at));
      await bench.past.maintain();
    }
  };
  const oldest = (bench: PastBench) => bench.past.oldestAt();

  it('stays whole while a clock is 40 days ahead and dates the records, until that is confirmed', async () => {
    let confirmed: UpstreamInstant | undefined;
    const bench = await openedBench({ days: 2, confirmed: () => confirmed });
    await fill(bench, 2);
    bench.now = addMs(bench.now, 40 * DAY_MS);
    await bench.reopen({ days: 2, confirmed: () => confirmed });
    await bench.past.maintain();
    expect(oldest(bench)).toEqual(START);
    expect(bench.past.state().overdue).toBeUndefined();

    await bench.append(seen(1, msBetween(START, bench.now)));
    await bench.sealAll();
    const before = addMs(periodStart(bench.now), -2 * DAY_MS);
    expect(oldest(bench)).toEqual(START);
    expect(bench.past.state().overdue?.since).toEqual(START);
    expect(bench.entries.filter((entry) => entry.includes('past delete --before'))).toHaveLength(1);

    confirmed = addMs(START, DAY_MS);
    await bench.past.maintain();
    await bench.past.maintain();
    expect(oldest(bench)).toEqual(addMs(START, DAY_MS));
    expect(bench.past.state().overdue?.since).toEqual(addMs(START, DAY_MS));
    confirmed = before;
    await bench.past.maintain();
    await bench.past.maintain();
    expect(oldest(bench)).toEqual(addMs(bench.now, -PERIOD_MS - MINUTE_MS));
    expect(bench.past.state().overdue).toBeUndefined();
  });

  it('takes what comes for the current period after a start with a clock 40 days ahead, once that is set right', async () => {
    const bench = await openedBench();
    await bench.append(seen(1, 1000));
    let steady = bench.now;
    bench.now = addMs(bench.now, 40 * DAY_MS);
    await bench.reopen({ steadyNow: () => steady });
    await bench.past.maintain();
    steady = addMs(steady, MINUTE_MS);
    await bench.past.maintain();
    bench.now = addMs(START, 4 * MINUTE_MS);
    await bench.append(seen(2, 4 * MINUTE_MS));
    expect(bench.past.state().dropped.untimely).toBe(0);
    expect((await bench.answer()).observations).toEqual([seen(1, 1000), seen(2, 4 * MINUTE_MS)]);
  });

  it('goes on by itself where a wrong clock is set right, and loses nothing then', async () => {
    const bench = await openedBench({ days: 2 });
    await fill(bench, 2);
    const right = bench.now;
    bench.now = addMs(right, 40 * DAY_MS);
    await bench.append(seen(1, msBetween(START, bench.now)));
    await bench.past.maintain();
    expect(bench.past.state().overdue).toBeDefined();
    bench.now = addMs(right, HOUR_MS);
    await bench.append(seen(1, msBetween(START, bench.now)));
    await bench.past.maintain();
    expect(oldest(bench)).toEqual(START);
    expect(bench.past.state().overdue).toBeUndefined();
  });

  it('ages by what is recorded, and not by a clock that runs while nothing is', async () => {
    const bench = await openedBench({ days: 2 });
    await fill(bench, 1);
    for (let hours = 0; hours < 200; hours += 6) {
      bench.now = addMs(bench.now, 6 * HOUR_MS);
      await bench.past.maintain();
    }
    expect(oldest(bench)).toEqual(START);
    expect(bench.past.state().overdue).toBeUndefined();
  });

  it('is so many bytes, the newest', async () => {
    const bench = await openedBench({ maxBytes: 1500 });
    for (let period = 0; period < 12; period += 1) {
      const offsetMs = period * PERIOD_MS;
      bench.now = addMs(START, offsetMs + MINUTE_MS);
      await bench.append(seen(1, offsetMs), seen(2, offsetMs + 1));
      await bench.past.maintain();
    }
    await bench.past.maintain();
    const { bytes, segments, oldestAt } = bench.past.state();
    expect(bytes).toBeLessThanOrEqual(1500);
    expect(segments).toBeGreaterThan(1);
    const { observations } = await bench.answer();
    expect(observations[0]?.observedAt).toEqual(oldestAt);
    expect(bench.past.keptSince()).toEqual(oldestAt);
    await bench.reopen({ maxBytes: 1500 });
    expect(bench.past.keptSince()).toEqual(oldestAt);
    expect(bench.past.state().bytes).toBe(bytes);
    expect(observations.at(-1)).toEqual(seen(2, 11 * PERIOD_MS + 1));
    expect(observations).toHaveLength(2 * segments + 2);
  });
});

it('answers as a list of all observations does, the same before sealing, after it, and after a restart', async () => {
  const cases = fc.tuple(arbitraryObservations(START, SPAN_MS), fc.array(question, { minLength: 3, maxLength: 6 }));
  await fc.assert(
    fc.asyncProperty(cases, fc.integer({ min: 1, max: 4 }), async ([observations, questions], batches) => {
      fc.pre(batches === 1 || !hasTwins(observations));
      const bench = new PastBench();
      const expected = listedSource(observations.map(asStored));
      const check = async () => {
        for (const { layer, box, window, maxCount } of questions) {
          const asked = { layer, bbox: box, window, limit: maxCount };
          const answer = await readHistoryWindow(sourceOf(bench.past), (id) => id, asked, 30);
          expect(answer).toEqual(await readHistoryWindow(expected, (id) => id, asked, 30));
        }
      };
      try {
        await bench.open({ cacheBytes: 20_000 });
        for (let batch = 0; batch < batches; batch += 1) {
          await bench.append(...observations.filter((_, index) => index % batches === batch));
        }
        await check();
        await bench.reopen({ cacheBytes: 20_000 });
        await check();
        bench.now = addMs(START, 20 * PERIOD_MS);
        await bench.past.maintain();
        expect(bench.past.state().segments).toBe(new Set(observations.map(periodOf)).size);
        await check();
        await bench.reopen({ cacheBytes: 20_000 });
        await check();
        expect(bench.past.state().dropped).toEqual({ untimely: 0, unstorable: 0, unwritten: 0 });
        expect(bench.entries).toEqual([]);
      } finally {
        await endBenches();
      }
    }),
    { numRuns: 15 },
  );
});

const SPAN_MS = 3 * PERIOD_MS;

const deg = (max: number) => fc.oneof(fc.double({ min: -max, max, noNaN: true }), fc.integer({ min: -20, max: 20 }));
const question = fc.record({
  layer: fc.constantFrom(...LAYERS),
  box: fc.tuple(deg(180), deg(180), deg(90), deg(90)).map(([a, b, c, d]) => ({
    west: Math.min(a, b),
    east: Math.max(a, b),
    south: Math.min(c, d),
    north: Math.max(c, d),
  })),
  window: fc
    .tuple(fc.oneof(fc.nat(20), fc.nat(SPAN_MS)), fc.oneof(fc.integer({ min: 1, max: 20 }), fc.nat(SPAN_MS)))
    .map(([offsetMs, lengthMs]) => ({
      start: addMs(START, offsetMs - 5),
      end: addMs(START, offsetMs - 5 + Math.max(1, lengthMs)),
    })),
  maxCount: fc.integer({ min: 1, max: 40 }),
});

function sourceOf(past: Past): Source {
  return {
    live: () => [],
    history: (...asked) => past.history(...asked),
    historyTimes: (...asked) => past.historyTimes(...asked),
  };
}

function periodOf({ layer, observedAt }: Observation): string {
  return `${layer} ${Math.floor(Number(observedAt) / PERIOD_MS)}`;
}

function hasTwins(observations: readonly Observation[]): boolean {
  const names = observations.map((each) => `${each.sourceId} ${each.layer} ${each.observedAt}`);
  return new Set(names).size < observations.length;
}
