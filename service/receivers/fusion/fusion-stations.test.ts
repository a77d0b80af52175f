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
  test('one fix is one observation, at the earliest time that a station says', () => {
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

  test('what every station that hears a track has sent, or has passed, waits no longer', () => {
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
    // Only one is left that hears it.
    picture.receive(A, 8000);
    picture.settle(10_000);
    picture.receive(A, 16_000);
    expect(timesOf(picture.settle(16_000))).toEqual([16_000]);
  });

  test('a station that rarely hears a track is not waited for', () => {
    const picture = new Picture();
    for (const feed of [A, B, C]) picture.receive(feed, 0);
    picture.settle(0);
    for (let ms = 1000; ms <= 6000; ms += 1000) {
      picture.receive(A, ms);
      expect(timesOf(picture.settle(ms))).toEqual([]);
      picture.receive(B, ms);
      const settled = timesOf(picture.settle(ms));
      // C sent one of the last three until then.
      expect(settled).toEqual(ms > 3000 ? [ms] : []);
      picture.settle(ms + 500);
    }
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000]);
  });

  test('a fix waits half a second at most for a station that has fallen silent', () => {
    const picture = new Picture();
    for (const feed of [A, B]) picture.receive(feed, 0);
    picture.settle(0);
    picture.receive(A, 1000);
    expect(picture.settle(1499)).toEqual([]);
    expect(timesOf(picture.settle(1500))).toEqual([1000]);
  });

  test('a simulated feed and a received one do not wait for each other', () => {
    const picture = new Picture();
    const simulated = feedOf('s', { simulated: true });
    for (const feed of [simulated, A]) picture.receive(feed, 0, { trackKey: keyOf(4) });
    expect(picture.settle(0)).toHaveLength(2);
    for (const feed of [simulated, A]) picture.receive(feed, 1000, { trackKey: keyOf(4) });
    expect(picture.settle(1000)).toHaveLength(2);
  });

  test('a feed that is alone in its layer does not wait behind those of the other', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(B, 0, { trackKey: keyOf(6) });
    picture.receive(C, 10, { layer: 'rid', trackKey: keyOf(5) });
    expect(picture.settle(20).map(({ layer }) => layer)).toEqual(['adsb', 'rid']);
  });

  test('of a track that is new, all waits: a station that is wrong may be the first', () => {
    const picture = new Picture();
    picture.receive(B, -500, { trackKey: keyOf(5) });
    picture.receive(C, 0, offM(0, 20_000));
    expect(picture.settle(400).filter(({ sourceId }) => sourceId !== keyOf(5))).toEqual([]);
  });

  test('what is served is never changed: a later station counts for the next one', () => {
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

  test('a fix that arrives late is put before a later one that still waits', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(B, 0);
    picture.receive(A, 2000);
    picture.fusion.add(B, parsedOf([fixOf({ feedTimeMs: START_MS + 1000, ...alongMs(1000) })]), at(2400));
    picture.settle(3500);
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000]);
  });

  test('a station counts for ten seconds after it heard the track last', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(B, 0);
    for (const ms of [5000, 10_000, 10_500]) picture.receive(A, ms);
    picture.settle(12_000);
    expect(picture.past.map(({ receiverCount }) => receiverCount)).toEqual([2, 2, 2, 1]);
  });

  test('what one has and the other has not is joined, whichever came first', () => {
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

  test('a fix that lies behind what another station sent just now is an earlier one', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    // By its clock it is 0.3 s later, but it is the place of 0.2 s before.
    picture.receive(B, 300, alongMs(-200));
    picture.receive(A, 1000);
    picture.settle(2500);
    expect(timesOf(picture.past)).toEqual([0, 1000]);
    expect(picture.past.at(-1)).toMatchObject({ receiverCount: 2, confidence: 'multi_station' });
  });

  test('clocks three seconds apart make one mark, with both stations and the right times', () => {
    const picture = new Picture();
    for (let second = 0; second < 60; second += 1) {
      for (const [feed, errorMs, sinceMs] of [
        [A, 0, 100],
        [B, 3000, 350],
      ] as const) {
        const sentMs = second * 1000 + sinceMs;
        const heardMs = sentMs - 80;
        const fix = fixOf({ ...alongMs(heardMs), feedTimeMs: START_MS + heardMs + errorMs });
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

  test('the number of stations is not known, and nothing is said of it', () => {
    const picture = new Picture();
    picture.receive(G, 0);
    expect(picture.settle(0)).toMatchObject([{ receiverCount: null, confidence: null, confidenceScore: null }]);
  });

  test('one station beside it may be one of those behind it; of two, two are known', () => {
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

describe('a feed that floods harms only itself', () => {
  test('it may have so many tracks; those that others hear first are not among them', () => {
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

  test('a thousand places of one track do not keep another station from it', () => {
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
