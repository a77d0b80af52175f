import { describe, expect, test } from 'vitest';
import { destination } from '#lib/geo/great-circle.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { Observation } from '../../sources/observation.ts';
import { alongMs, at, feedOf, fixOf, keyOf, Picture, parsedOf, START_MS, WORLD } from './fusion.fixture.ts';
import { makeFusion } from './fusion.ts';

const [A, B, C] = [feedOf('a'), feedOf('b'), feedOf('c')];

const msOf = ({ observedAt }: Observation) => epochMs(observedAt) - START_MS;
const timesOf = (observations: readonly Observation[]) => observations.map(msOf);
/** A place so far from where the aircraft is. */
const offM = (ms: number, lengthM: number) => destination(alongMs(ms), 45, lengthM);
const isAt = ({ lon, lat }: Observation, place: { lon: number; lat: number }) =>
  Math.abs(lon - place.lon) < 1e-9 && Math.abs(lat - place.lat) < 1e-9;

describe('one station', () => {
  test('what it receives is served as it is', () => {
    const picture = new Picture();
    const change = {
      lon: 8.5,
      lat: 47.4,
      altitudeM: null,
      heightAglM: 0,
      emergencyState: 'nordo',
      testBroadcast: true,
    };
    picture.receive(A, 0, change);
    expect(picture.settle(0)).toEqual([
      {
        sourceId: fixOf().trackKey,
        layer: 'adsb',
        observedAt: at(0),
        lon: 8.5,
        lat: 47.4,
        altitudeM: null,
        heightAglM: 0,
        speedMps: 200,
        headingDeg: 90,
        confidence: 'single',
        confidenceScore: 0.55,
        receiverCount: 1,
        simulated: false,
        testBroadcast: true,
        emergencyState: 'nordo',
      },
    ]);
    expect(picture.live(100)).toEqual(picture.past);
  });

  test('a poll that comes before the next position makes no observation', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    // The age is told in tenths of a second.
    picture.fusion.add(A, parsedOf([fixOf({ feedTimeMs: START_MS + 60 })], START_MS + 1000), at(1000));
    picture.settle(1000);
    expect(timesOf(picture.past)).toEqual([0]);
    expect(picture.fusion.feedState('a')?.counts).toMatchObject({ observed: 1, repeated: 1 });
  });

  test('a track that stands still is observed whenever it is heard', () => {
    const picture = new Picture();
    for (let ms = 0; ms <= 3000; ms += 1000) picture.receive(A, ms, { lon: 8.5, lat: 47.4, speedMps: 0 });
    picture.settle(3000);
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000, 3000]);
  });

  test('a file that nobody writes any more gets old, also where its clock is not believed', () => {
    for (const errorMs of [0, 3_600_000]) {
      const picture = new Picture();
      const fix = fixOf({ feedTimeMs: START_MS + errorMs });
      for (let ms = 0; ms < 20_000; ms += 1000) {
        picture.fusion.add(A, parsedOf([fix], START_MS + errorMs), at(ms));
        picture.settle(ms);
      }
      expect(timesOf(picture.past)).toEqual([0]);
    }
  });

  test('a fix that comes after a later one is not served', () => {
    const picture = new Picture();
    picture.receive(A, 2000);
    picture.settle(2000);
    picture.fusion.add(A, parsedOf([fixOf({ feedTimeMs: START_MS + 1000, ...alongMs(1000) })]), at(2100));
    expect(picture.settle(2100)).toEqual([]);
    expect(picture.fusion.feedState('a')?.counts.overtaken).toBe(1);
  });

  test('one position that cannot be is left out; three in a row are believed, and said to be inconsistent', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(A, 1000, offM(1000, 20_000));
    picture.receive(A, 2000);
    picture.settle(2000);
    expect(timesOf(picture.past)).toEqual([0, 2000]);
    expect(picture.past.at(-1)?.confidence).toBe('single');
    for (const ms of [20_000, 21_000, 22_000]) picture.receive(A, ms, offM(ms, 40_000));
    picture.settle(22_000);
    expect(timesOf(picture.past)).toEqual([0, 2000, 22_000]);
    expect(picture.past.at(-1)).toMatchObject({ confidence: 'inconsistent', confidenceScore: 0.35, receiverCount: 1 });
    expect(picture.fusion.feedState('a')?.counts).toMatchObject({ observed: 3, contradicted: 3 });
  });

  test('those in a row are broken by one at the old place, or by ten seconds of silence', () => {
    const picture = new Picture();
    for (const [ms, isOff] of [
      [0, false],
      [1000, true],
      [2000, true],
      [3000, false],
      [4000, true],
      [5000, true],
      [17_000, true],
      [18_000, true],
    ] as const) {
      picture.receive(A, ms, isOff ? offM(ms, 40_000) : {});
    }
    picture.settle(18_000);
    expect(timesOf(picture.past)).toEqual([0, 3000]);
  });

  test('of two positions at one time one is served, whichever came first', () => {
    const served = [
      [0, 100],
      [100, 0],
    ].map((places) => {
      const picture = new Picture();
      for (const ms of places) picture.receive(A, 0, alongMs(ms));
      return picture.settle(0);
    });
    expect(served[0]?.length).toBe(1);
    expect(served[1]).toEqual(served[0]);
  });

  test('it is believed that a track turned back', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(A, 600, alongMs(-100));
    picture.settle(600);
    expect(timesOf(picture.past)).toEqual([0, 600]);
  });

  test('a new place is believed only if the same one comes again', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    for (let ms = 1000; ms <= 9000; ms += 1000) picture.receive(A, ms, offM(ms, 20_000 + 7 * ms));
    picture.settle(9000);
    expect(timesOf(picture.past)).toEqual([0]);
  });

  test('two of one name do not make one mark jump to and fro', () => {
    const picture = new Picture();
    const other = offM(0, 50_000);
    // Each is heard for some seconds, in turns.
    for (let ms = 0; ms < 50_000; ms += 1000) {
      picture.receive(A, ms, ms % 8000 < 4000 ? {} : other);
      picture.settle(ms);
    }
    const places = picture.past.map((seen) => (isAt(seen, other) ? 'other' : 'first'));
    expect(places.filter((place, index) => place !== (places[index - 1] ?? place)).length).toBeLessThanOrEqual(1);
    expect(picture.past.at(-1)?.confidence).toBe('inconsistent');
  });
});

describe('several stations', () => {
  test('one fix is one observation, at the earliest time that a station says', () => {
    const picture = new Picture();
    for (const feed of [A, B, C]) picture.receive(feed, -1000);
    picture.settle(600);
    const fix = fixOf({ lon: 8.501 });
    picture.fusion.add(A, parsedOf([{ ...fix, feedTimeMs: START_MS + 400 }]), at(900));
    picture.fusion.add(B, parsedOf([{ ...fix, feedTimeMs: START_MS + 100, lon: 8.501_009 }]), at(1400));
    picture.settle(2399);
    expect(timesOf(picture.past)).toEqual([-1000]);
    picture.settle(2400);
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
    expect(picture.settle(1000).filter(({ sourceId }) => sourceId !== keyOf(5))).toEqual([]);
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

describe('stations that disagree', () => {
  const hear = (picture: Picture, feeds: readonly (readonly [typeof A, number])[], fromMs: number, toMs: number) => {
    for (let ms = fromMs; ms < toMs; ms += 1000) {
      for (const [feed, wrongM] of feeds) picture.receive(feed, ms, wrongM === 0 ? {} : offM(ms, wrongM));
      picture.settle(ms + 900);
    }
    picture.settle(toMs + 1500);
  };
  const wrong = (seen: Observation) => !isAt(seen, alongMs(msOf(seen)));

  test.each([
    ['the wrong one first', [C, A, B]],
    ['the wrong one last', [A, B, C]],
  ] as const)('the two that agree are served, and the disagreement is told: %s', (_, order) => {
    const picture = new Picture();
    hear(
      picture,
      order.map((feed) => [feed, feed === C ? 20_000 : 0] as const),
      0,
      20_000,
    );
    expect(picture.past.filter(wrong)).toEqual([]);
    expect(picture.past.length).toBe(20);
    expect(picture.past.at(-1)).toMatchObject({ confidence: 'inconsistent', receiverCount: 2, confidenceScore: 0.35 });
    expect(picture.fusion.feedState('c')?.counts).toMatchObject({ observed: 0, contradicted: 20 });
    expect(picture.live(21_000).length).toBe(1);
  });

  test('two that come later take the mark from one that was alone', () => {
    const picture = new Picture();
    hear(picture, [[C, 20_000]], 0, 5000);
    hear(
      picture,
      [
        [C, 20_000],
        [A, 0],
        [B, 0],
      ],
      5000,
      15_000,
    );
    const afterwards = picture.past.filter((seen) => msOf(seen) > 6000);
    expect(afterwards.length).toBeGreaterThan(5);
    expect(afterwards.filter(wrong)).toEqual([]);
  });

  test('of one against one the first stays, until it is not heard for ten seconds', () => {
    const picture = new Picture();
    hear(picture, [[A, 0]], 0, 3000);
    hear(
      picture,
      [
        [A, 0],
        [C, 20_000],
      ],
      3000,
      10_000,
    );
    expect(picture.past.filter(wrong)).toEqual([]);
    expect(picture.past.at(-1)).toMatchObject({ receiverCount: 1, confidence: 'inconsistent' });
    hear(picture, [[C, 20_000]], 10_000, 25_000);
    const taken = picture.past.filter(wrong);
    expect(msOf(taken[0]!)).toBeGreaterThan(19_000);
  });

  test('it is told for a minute after the last contradiction', () => {
    const picture = new Picture();
    hear(picture, [[A, 0]], 0, 3000);
    hear(
      picture,
      [
        [A, 0],
        [C, 20_000],
      ],
      3000,
      5000,
    );
    hear(picture, [[A, 0]], 5000, 80_000);
    const told = picture.past.filter(({ confidence }) => confidence === 'inconsistent').map(msOf);
    expect([Math.min(...told), Math.max(...told)]).toEqual([5000, 63_000]);
  });
});

describe('where a position comes from', () => {
  const MLAT = { origin: 'mlat', accuracyM: null } as const;

  test('what is measured does not move a mark that is broadcast, and takes over when it is not', () => {
    const picture = new Picture();
    for (let ms = 0; ms < 40_000; ms += 1000) {
      if (ms < 15_000) picture.receive(A, ms);
      picture.receive(B, ms + 400, { ...MLAT, ...offM(ms + 400, 200) });
      picture.settle(ms + 500);
    }
    picture.settle(45_000);
    const measured = picture.past.filter((seen) => !isAt(seen, alongMs(msOf(seen)))).map(msOf);
    expect(measured[0]).toBe(24_400);
    expect(Math.max(...timesOf(picture.past).map((ms, index, all) => ms - (all[index - 1] ?? 0)))).toBe(10_400);
    // Both hear it, and they agree.
    const broadcast = picture.past.find((seen) => msOf(seen) === 14_000);
    expect(broadcast).toMatchObject({ receiverCount: 2, confidence: 'multi_station' });
    expect(picture.fusion.feedState('b')?.counts.outranked).toBeGreaterThan(20);
  });

  test('what is broadcast is served at once when it comes back', () => {
    const picture = new Picture();
    for (let ms = 0; ms < 5000; ms += 1000) picture.receive(A, ms, { ...MLAT, ...offM(ms, 200) });
    picture.receive(B, 5000);
    picture.settle(6500);
    expect(msOf(picture.past.at(-1)!)).toBe(5000);
  });

  test('what is broadcast elsewhere takes the mark from several stations that get one measurement', () => {
    const picture = new Picture();
    for (let ms = 0; ms < 10_000; ms += 1000) {
      for (const feed of [B, C]) picture.receive(feed, ms, { ...MLAT, ...offM(ms, 30_000) });
      if (ms >= 3000) picture.receive(A, ms + 200);
      picture.settle(ms + 900);
    }
    const broadcast = picture.past.filter((seen) => isAt(seen, alongMs(msOf(seen)))).map(msOf);
    expect(broadcast).toEqual([5200, 6200, 7200, 8200]);
  });

  test('several stations that get one measurement do not outvote a broadcast', () => {
    const picture = new Picture();
    for (let ms = 0; ms < 20_000; ms += 1000) {
      picture.receive(A, ms);
      for (const feed of [B, C]) picture.receive(feed, ms + 100, { ...MLAT, ...offM(ms, 30_000) });
      picture.settle(ms + 500);
    }
    expect(picture.past.filter((seen) => !isAt(seen, alongMs(msOf(seen))))).toEqual([]);
    expect(picture.past.at(-1)?.confidence).toBe('inconsistent');
  });

  test.each([
    ['broadcast', 0.55],
    ['rebroadcast', 0.45],
    ['unknown', 0.45],
    ['mlat', 0.35],
    ['tisb', 0.35],
  ] as const)('a position that is %s scores %d', (origin, score) => {
    const picture = new Picture();
    picture.receive(A, 0, { origin });
    expect(picture.settle(0)[0]?.confidenceScore).toBe(score);
  });

  test('five stations and more score the most', () => {
    const picture = new Picture();
    for (let index = 0; index < 7; index += 1) picture.receive(feedOf(`${index}`), 0);
    expect(picture.settle(1500)).toMatchObject([{ receiverCount: 7, confidenceScore: 0.95 }]);
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

describe('time', () => {
  test('live, what is older than 15 s is stale, and gone when it expires; the past keeps what it had', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    const [observed] = picture.settle(0);
    expect(picture.live(15_000)).toEqual([observed]);
    expect(picture.live(15_001)).toEqual([{ ...observed, confidence: 'stale', confidenceScore: 0.3 }]);
    expect(picture.live(59_999).length).toBe(1);
    expect(picture.live(60_000)).toEqual([]);
    expect(observed?.confidence).toBe('single');
  });

  test('that stations disagree is still said of what is old', () => {
    const picture = new Picture();
    for (const ms of [0, 1000, 2000, 3000]) picture.receive(A, ms, ms === 0 ? {} : offM(ms, 20_000));
    picture.settle(3000);
    expect(picture.live(30_000)).toMatchObject([{ confidence: 'inconsistent', confidenceScore: 0.3 }]);
  });

  test('what is served as past is at most 30 s old: later is dropped and counted', () => {
    const picture = new Picture();
    const old = (key: number, ageMs: number) => fixOf({ trackKey: keyOf(key), feedTimeMs: START_MS - ageMs });
    picture.receive(A, -40_000, { trackKey: keyOf(3) });
    picture.settle(-40_000);
    picture.fusion.add(A, parsedOf([old(1, 26_000), old(2, 27_000)], START_MS), at(0));
    picture.fusion.add(A, parsedOf([{ ...old(3, 27_000), ...alongMs(0) }], START_MS), at(0));
    expect(picture.settle(1).map(({ sourceId }) => sourceId)).toEqual([keyOf(1)]);
    expect(picture.fusion.feedState('a')?.counts).toMatchObject({ observed: 2, late: 2 });
  });

  test('what a parser held is observed when it arrived, and says nothing of the clock', () => {
    for (const feedTimeMs of [undefined, START_MS + 100]) {
      const picture = new Picture();
      picture.receive(A, 0, { trackKey: keyOf(9) });
      const held = fixOf({ heldSinceMs: START_MS + 100, ...(feedTimeMs === undefined ? {} : { feedTimeMs }) });
      picture.fusion.add(A, parsedOf([held]), at(5000));
      expect(timesOf(picture.settle(5000).filter(({ sourceId }) => sourceId !== keyOf(9)))).toEqual([100]);
      expect(picture.fusion.feedState('a')).toMatchObject({ timeBasis: 'feed', clockErrorMs: 0 });
    }
  });

  test('what was observed before a start may be recorded already, and is not served', () => {
    const fusion = makeFusion({ notBefore: at(0) });
    fusion.add(
      A,
      parsedOf(
        [-1, 0].map((ms) => fixOf({ trackKey: keyOf(ms + 1), feedTimeMs: START_MS + ms })),
        START_MS,
      ),
      at(0),
    );
    expect(timesOf(fusion.settle(at(0)))).toEqual([0]);
    expect(fusion.feedState('a')?.counts).toMatchObject({ observed: 1, late: 1 });
  });

  test('what could not be served for 30 s is not served any more', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    expect(picture.settle(30_001)).toEqual([]);
    expect(picture.live(30_001)).toEqual([]);
    expect(picture.fusion.feedState('a')?.counts.late).toBe(1);
  });

  test('when our own clock is set back by an hour, nothing waits for it', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(B, 0);
    picture.receive(A, -3_600_000);
    picture.receive(B, -3_600_000);
    picture.settle(-3_598_000);
    picture.receive(A, -3_597_000);
    picture.settle(-3_595_000);
    expect(picture.live(-3_595_000).length).toBe(1);
  });

  test('a track that nobody hears for 90 s is another one: it may be anywhere', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.settle(0);
    picture.settle(95_000);
    expect(picture.fusion.feedState('a')?.tracks).toBe(0);
    picture.receive(A, 96_000, { lon: 100, lat: 10 });
    expect(picture.settle(96_000)).toMatchObject([{ lon: 100, confidence: 'single' }]);
  });
});

describe('a drone', () => {
  const drone = { layer: 'rid', speedMps: 8, accuracyM: 3, emergencyState: null, feedTimeMs: undefined } as const;

  test('its own time is when it was observed, and tells a repetition however it comes', () => {
    const picture = new Picture();
    const place = { ...drone, ...alongMs(0), trackTimeMs: START_MS - 900 };
    picture.receive(A, 0, place);
    picture.receive(A, 600, place);
    picture.receive(B, 1200, place);
    picture.receive(A, 4000, place);
    picture.settle(10_000);
    expect(timesOf(picture.past)).toEqual([-900]);
    expect(picture.past[0]).toMatchObject({ receiverCount: 2, confidenceScore: 0.65 });
  });

  test('hovering, it is observed at each of its own times', () => {
    const picture = new Picture();
    for (let ms = 0; ms <= 3000; ms += 1000) {
      picture.receive(A, ms, { ...drone, ...alongMs(0), trackTimeMs: START_MS + ms });
      picture.receive(B, ms + 200, { ...drone, ...alongMs(0), trackTimeMs: START_MS + ms });
    }
    picture.settle(10_000);
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000, 3000]);
  });

  test('with a wrong clock of its own it is observed when it is received, in the order of its clock', () => {
    const picture = new Picture();
    const sent = (ms: number) => ({ ...drone, ...alongMs(ms / 25), trackTimeMs: START_MS + ms - 20_000 });
    for (let ms = 0; ms <= 5000; ms += 1000) picture.receive(A, ms, sent(ms));
    picture.settle(5000);
    // Another station hears the first one when it is sent once more.
    picture.receive(B, 8000, sent(0));
    picture.settle(10_000);
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
  });

  test('with a clock that stands still it is observed all the same', () => {
    const picture = new Picture();
    for (let ms = 0; ms <= 3000; ms += 1000) {
      picture.receive(A, ms, { ...drone, ...alongMs(ms / 25), trackTimeMs: START_MS - 100_000 });
    }
    picture.settle(10_000);
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000, 3000]);
  });

  test('and an aircraft of one key are two tracks', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(A, 0, { ...drone, lon: 50 });
    picture.settle(100);
    expect(picture.fusion.live('rid', WORLD, at(100))).toMatchObject([{ layer: 'rid', lon: 50 }]);
    expect(picture.fusion.live('adsb', WORLD, at(100))).toMatchObject([{ layer: 'adsb', lon: 8.5 }]);
  });
});

test('what is simulated is marked so, and never mixed with what is received under the same name', () => {
  const picture = new Picture();
  const S = feedOf('s', { simulated: true });
  picture.receive(A, 0);
  picture.receive(S, 0);
  picture.receive(S, 1000, offM(1000, 50_000));
  picture.settle(5000);
  const [real, simulated] = [false, true].map((is) => picture.past.filter((seen) => seen.simulated === is));
  expect(real).toMatchObject([{ receiverCount: 1, confidence: 'single' }]);
  expect(simulated!.length).toBe(1);
  expect(simulated![0]?.sourceId).not.toBe(real![0]?.sourceId);
  expect(simulated![0]?.sourceId).toMatch(/^[0-9a-f]{32}$/);
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
