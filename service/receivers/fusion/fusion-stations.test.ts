import { describe, expect, test } from 'vitest';
import {
  alongMs,
  at,
  feedOf,
  fixOf,
  keyOf,
  msOf,
  offM,
  Picture,
  parsedOf,
  START_MS,
  timesOf,
} from './fusion.fixture.ts';

const [A, B, C] = [feedOf('a'), feedOf('b'), feedOf('c')];

describe('several stations', () => {
  test('make one observation of a fix, at the earliest time', () => {
    const picture = new Picture();
    for (const feed of [A, B, C]) picture.receive(feed, -1000);
    picture.settle(600);
    const fix = fixOf({ lon: 8.501 });
    picture.fusion.add(A, parsedOf([{ ...fix, feedTimeMs: START_MS + 400 }]), at(900));
    picture.fusion.add(B, parsedOf([{ ...fix, feedTimeMs: START_MS + 100, lon: 8.501_009 }]), at(1300));
    picture.settle(1399);
    expect(timesOf(picture.past)).toEqual([-1000]);
    picture.settle(1400);
    expect(timesOf(picture.past)).toEqual([-1000, 100]);
    expect(picture.past[1]).toMatchObject({ receiverCount: 3, confidence: 'multi_station', confidenceScore: 0.75 });
    expect(picture.fusion.feedState('b')?.counts).toMatchObject({ observed: 0, shared: 2 });
  });

  test('serve a fix once every station that hears the track has sent it or a later one', () => {
    const picture = new Picture();
    for (const feed of [A, B]) picture.receive(feed, 0);
    picture.receive(C, 0, { trackKey: keyOf(5) });
    picture.settle(1500);
    picture.receive(A, 2000);
    expect(picture.settle(2000)).toEqual([]);
    picture.receive(B, 2000);
    expect(timesOf(picture.settle(2000))).toEqual([2000]);
    picture.receive(A, 3000);
    picture.receive(B, 3100);
    expect(timesOf(picture.settle(3100))).toEqual([3000]);
    picture.receive(A, 8000);
    picture.settle(10_000);
    picture.receive(A, 16_000);
    expect(timesOf(picture.settle(16_000))).toEqual([16_000]);
  });

  test('do not wait for one that rarely hears the track', () => {
    const picture = new Picture();
    for (const feed of [A, B, C]) picture.receive(feed, 0);
    picture.settle(0);
    for (let ms = 1000; ms <= 6000; ms += 1000) {
      picture.receive(A, ms);
      expect(timesOf(picture.settle(ms))).toEqual([]);
      picture.receive(B, ms);
      const settled = timesOf(picture.settle(ms));
      expect(settled).toEqual(ms > 3000 ? [ms] : []);
      picture.settle(ms + 500);
    }
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000]);
  });

  test('wait at most 0.5 s for one that has fallen silent', () => {
    const picture = new Picture();
    for (const feed of [A, B]) picture.receive(feed, 0);
    picture.settle(0);
    picture.receive(A, 1000);
    expect(picture.settle(1499)).toEqual([]);
    expect(timesOf(picture.settle(1500))).toEqual([1000]);
  });

  test('wait for no simulated feed, and a simulated one for no station', () => {
    const picture = new Picture();
    const simulated = feedOf('s', { simulated: true });
    for (const feed of [simulated, A]) picture.receive(feed, 0, { trackKey: keyOf(4) });
    expect(picture.settle(0)).toHaveLength(2);
    for (const feed of [simulated, A]) picture.receive(feed, 1000, { trackKey: keyOf(4) });
    expect(picture.settle(1000)).toHaveLength(2);
  });

  test('do not delay a feed that is alone in its layer', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(B, 0, { trackKey: keyOf(6) });
    picture.receive(C, 10, { layer: 'rid', trackKey: keyOf(5) });
    expect(picture.settle(20).map(({ layer }) => layer)).toEqual(['adsb', 'rid']);
  });

  test('hold every fix of a new track, since a wrong one may be first', () => {
    const picture = new Picture();
    picture.receive(B, -500, { trackKey: keyOf(5) });
    picture.receive(C, 0, offM(0, 20_000));
    expect(picture.settle(400).filter(({ sourceId }) => sourceId !== keyOf(5))).toEqual([]);
  });

  test('never change an observation: a later one counts for the next', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    const [first] = picture.settle(1500);
    const before = { ...first };
    picture.fusion.add(B, parsedOf([fixOf()]), at(1600));
    picture.settle(3200);
    expect(first).toEqual(before);
    expect(first?.receiverCount).toBe(1);
    picture.receive(A, 4000);
    expect(picture.settle(5500)).toMatchObject([{ receiverCount: 2 }]);
  });

  test('sort a late fix before a later one that still waits', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(B, 0);
    picture.receive(A, 2000);
    picture.fusion.add(B, parsedOf([fixOf({ feedTimeMs: START_MS + 1000, ...alongMs(1000) })]), at(2400));
    picture.settle(3500);
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000]);
  });

  test('count for ten seconds after their latest fix', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(B, 0);
    for (const ms of [5000, 10_000, 10_500]) picture.receive(A, ms);
    picture.settle(12_000);
    expect(picture.past.map(({ receiverCount }) => receiverCount)).toEqual([2, 2, 2, 1]);
  });

  test('join each other’s missing values in any order', () => {
    const served = [
      [A, B],
      [B, A],
    ].map((order) => {
      const picture = new Picture();
      for (const feed of order) {
        const own = feed === A ? { altitudeM: null, emergencyState: 'none' } : { speedMps: null, accuracyM: null };
        picture.receive(feed, 0, { ...own, ...(feed === B ? { altitudeM: 900, emergencyState: 'unlawful' } : {}) });
      }
      return picture.settle(1500);
    });
    expect(served[0]).toEqual(served[1]);
    expect(served[0]).toMatchObject([{ altitudeM: 900, speedMps: 200, emergencyState: 'unlawful' }]);
  });

  test('treat a fix behind another’s place as an earlier one', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    // Dated 0.3 s later, but at the place of 0.2 s earlier.
    picture.receive(B, 300, alongMs(-200));
    picture.receive(A, 1000);
    picture.settle(2500);
    expect(timesOf(picture.past)).toEqual([0, 1000]);
    expect(picture.past.at(-1)).toMatchObject({ receiverCount: 2, confidence: 'multi_station' });
  });

  test('with clocks three seconds apart make one mark with the right times', () => {
    const picture = new Picture();
    for (let second = 0; second < 60; second += 1) {
      for (const [feed, errorMs, sinceMs] of [
        [A, 0, 100],
        [B, 3000, 350],
      ] as const) {
        const sentMs = second * 1000 + sinceMs;
        const receptionMs = sentMs - 80;
        const fix = fixOf({ ...alongMs(receptionMs), feedTimeMs: START_MS + receptionMs + errorMs });
        picture.fusion.add(feed, parsedOf([fix], START_MS + sentMs + errorMs), at(sentMs + 20));
      }
      picture.settle(second * 1000 + 500);
    }
    const steady = picture.past.filter((seen) => msOf(seen) > 5000);
    expect(steady.length).toBeGreaterThan(100);
    for (const seen of steady) {
      expect(seen).toMatchObject({ receiverCount: 2, confidence: 'multi_station' });
      const { lon } = alongMs(msOf(seen));
      expect(Math.abs(lon - seen.lon) * 75_000).toBeLessThan(20);
    }
    expect(picture.live(60_000).length).toBe(1);
    expect(picture.fusion.feedState('b')).toMatchObject({ timeBasis: 'corrected', clockErrorMs: 2980 });
  });
});

describe('behind an aggregator', () => {
  const G = feedOf('g', { aggregates: true });

  test('reports no number of stations', () => {
    const picture = new Picture();
    picture.receive(G, 0);
    expect(picture.settle(0)).toMatchObject([{ receiverCount: null, confidence: null, confidenceScore: null }]);
  });

  test('counts two other stations, but not a single one, which may be behind it', () => {
    const picture = new Picture();
    for (const feed of [G, A]) picture.receive(feed, 0);
    for (const feed of [G, A, B]) picture.receive(feed, 2000);
    picture.settle(3500);
    expect(picture.past).toMatchObject([
      { receiverCount: null, confidence: null },
      { receiverCount: null, confidence: 'multi_station' },
    ]);
  });
});

describe('a flood harms only its own feed', () => {
  test('bounds the tracks that it hears first', () => {
    const picture = new Picture(100);
    picture.receive(B, 0, { trackKey: keyOf(1_000_000) });
    const flood = Array.from({ length: 5000 }, (_, index) => fixOf({ trackKey: keyOf(index) }));
    picture.fusion.add(A, parsedOf(flood), at(100));
    picture.receive(B, 200, { trackKey: keyOf(1_000_001) });
    picture.receive(A, 200, { trackKey: keyOf(1_000_001) });
    picture.settle(5000);
    expect(picture.past.length).toBe(102);
    expect(picture.fusion.feedState('a')).toMatchObject({ tracks: 100, counts: { crowded: 4900 } });
    picture.settle(100_000);
    expect(picture.fusion.feedState('a')?.tracks).toBe(0);
  });

  test('keeps a track open to other stations', () => {
    const picture = new Picture();
    picture.receive(B, 0);
    picture.settle(2000);
    for (let index = 0; index < 1000; index += 1) picture.receive(A, 2000 + index, offM(0, 50_000 + 1000 * index));
    picture.receive(B, 3000);
    picture.settle(6000);
    expect(timesOf(picture.past)).toEqual([0, 3000]);
    expect(picture.fusion.feedState('a')?.counts.crowded).toBeGreaterThan(900);
  });
});
