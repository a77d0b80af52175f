import { describe, expect, test } from 'vitest';
import type { Observation } from '../../sources/observation.ts';
import { alongMs, feedOf, isAt, msOf, offM, Picture, timesOf } from './fusion.fixture.ts';

const [A, B, C] = [feedOf('a'), feedOf('b'), feedOf('c')];
/** Feeds, and how far off their positions are. */
const WRONG = [C, 20_000] as const;
const RIGHT = [A, B].map((feed) => [feed, 0] as const);

describe('stations that disagree', () => {
  const receive = (picture: Picture, feeds: readonly (readonly [typeof A, number])[], fromMs: number, toMs: number) => {
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
  ] as const)('the two that agree are served, and the disagreement is reported: %s', (_, order) => {
    const picture = new Picture();
    receive(
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

  test('two later ones move the mark of a single one', () => {
    const picture = new Picture();
    receive(picture, [WRONG], 0, 5000);
    receive(picture, [WRONG, ...RIGHT], 5000, 15_000);
    const afterwards = picture.past.filter((seen) => msOf(seen) > 6000);
    expect(afterwards.length).toBeGreaterThan(5);
    expect(afterwards.filter(wrong)).toEqual([]);
  });

  test('of one against one the first keeps the mark until ten seconds of silence', () => {
    const picture = new Picture();
    receive(picture, [[A, 0]], 0, 3000);
    receive(picture, [...RIGHT.slice(0, 1), WRONG], 3000, 10_000);
    expect(picture.past.filter(wrong)).toEqual([]);
    expect(picture.past.at(-1)).toMatchObject({ receiverCount: 1, confidence: 'inconsistent' });
    receive(picture, [WRONG], 10_000, 25_000);
    const taken = picture.past.filter(wrong);
    expect(msOf(taken[0]!)).toBeGreaterThan(19_000);
  });

  test('are reported for a minute after the last contradiction', () => {
    const picture = new Picture();
    receive(picture, [[A, 0]], 0, 3000);
    receive(picture, [...RIGHT.slice(0, 1), WRONG], 3000, 5000);
    receive(picture, [[A, 0]], 5000, 80_000);
    const reported = picture.past.filter(({ confidence }) => confidence === 'inconsistent').map(msOf);
    expect([Math.min(...reported), Math.max(...reported)]).toEqual([5000, 63_000]);
  });
});

describe('the origin of a position', () => {
  const MLAT = { origin: 'mlat', accuracyM: null } as const;

  test('measured: never moves a broadcast mark, and takes over when broadcasts stop', () => {
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
    const broadcast = picture.past.find((seen) => msOf(seen) === 14_000);
    expect(broadcast).toMatchObject({ receiverCount: 2, confidence: 'multi_station' });
    expect(picture.fusion.feedState('b')?.counts.outranked).toBeGreaterThan(20);
  });

  test('broadcast: is served at once when it returns', () => {
    const picture = new Picture();
    for (let ms = 0; ms < 5000; ms += 1000) picture.receive(A, ms, { ...MLAT, ...offM(ms, 200) });
    picture.receive(B, 5000);
    picture.settle(6500);
    expect(msOf(picture.past.at(-1)!)).toBe(5000);
  });

  test('broadcast elsewhere: takes the mark from several stations with one measurement', () => {
    const picture = new Picture();
    for (let ms = 0; ms < 10_000; ms += 1000) {
      for (const feed of [B, C]) picture.receive(feed, ms, { ...MLAT, ...offM(ms, 30_000) });
      if (ms >= 3000) picture.receive(A, ms + 200);
      picture.settle(ms + 900);
    }
    const broadcast = picture.past.filter((seen) => isAt(seen, alongMs(msOf(seen)))).map(msOf);
    expect(broadcast).toEqual([5200, 6200, 7200, 8200, 9200]);
  });

  test('measured: several stations with one measurement do not outvote a broadcast', () => {
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

  test('score: is highest from five stations on', () => {
    const picture = new Picture();
    for (let index = 0; index < 7; index += 1) picture.receive(feedOf(`${index}`), 0);
    expect(picture.settle(1500)).toMatchObject([{ receiverCount: 7, confidenceScore: 0.95 }]);
  });
});
