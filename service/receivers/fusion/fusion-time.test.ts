import { describe, expect, test } from 'vitest';
import { alongMs, at, feedOf, fixOf, keyOf, offM, Picture, parsedOf, START_MS, timesOf } from './fusion.fixture.ts';
import { makeFusion } from './fusion.ts';

const [A, B] = [feedOf('a'), feedOf('b')];

describe('time', () => {
  test('labels live positions stale after 15 s and drops expired ones, but not in the past', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    const [observed] = picture.settle(0);
    expect(picture.live(15_000)).toEqual([observed]);
    expect(picture.live(15_001)).toEqual([{ ...observed, confidence: 'stale', confidenceScore: 0.3 }]);
    expect(picture.live(59_999).length).toBe(1);
    expect(picture.live(60_000)).toEqual([]);
    expect(observed?.confidence).toBe('single');
  });

  test('keeps the label of a disagreement on old positions', () => {
    const picture = new Picture();
    for (const ms of [0, 1000, 2000, 3000]) picture.receive(A, ms, ms === 0 ? {} : offM(ms, 20_000));
    picture.settle(3000);
    expect(picture.live(30_000)).toMatchObject([{ confidence: 'inconsistent', confidenceScore: 0.3 }]);
  });

  test('drops and counts fixes that are older than 30 s', () => {
    const picture = new Picture();
    const old = (key: number, ageMs: number) => fixOf({ trackKey: keyOf(key), feedTimeMs: START_MS - ageMs });
    picture.receive(A, -40_000, { trackKey: keyOf(3) });
    picture.settle(-40_000);
    picture.fusion.add(A, parsedOf([old(1, 27_000), old(2, 28_000)], START_MS), at(0));
    picture.fusion.add(A, parsedOf([{ ...old(3, 28_000), ...alongMs(0) }], START_MS), at(0));
    expect(picture.settle(1).map(({ sourceId }) => sourceId)).toEqual([keyOf(1)]);
    expect(picture.fusion.feedState('a')?.counts).toMatchObject({ observed: 2, late: 2 });
  });

  test('dates a held fix by its arrival, and learns no clock from it', () => {
    for (const feedTimeMs of [undefined, START_MS + 100]) {
      const picture = new Picture();
      picture.receive(A, 0, { trackKey: keyOf(9) });
      const queued = fixOf({ queuedSinceMs: START_MS + 100, ...(feedTimeMs === undefined ? {} : { feedTimeMs }) });
      picture.fusion.add(A, parsedOf([queued]), at(5000));
      expect(timesOf(picture.settle(5000).filter(({ sourceId }) => sourceId !== keyOf(9)))).toEqual([100]);
      expect(picture.fusion.feedState('a')).toMatchObject({ timeBasis: 'feed', clockErrorMs: 0 });
    }
  });

  test('refuses fixes from before the start, which may be recorded already', () => {
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

  test('drops fixes that could not be served for 30 s', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    expect(picture.settle(30_001)).toEqual([]);
    expect(picture.live(30_001)).toEqual([]);
    expect(picture.fusion.feedState('a')?.counts.late).toBe(1);
  });

  test('continues at once when our clock is set back by an hour', () => {
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

  test('forgets a track 90 s after its last fix, so that it may reappear anywhere', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.settle(0);
    picture.settle(95_000);
    expect(picture.fusion.feedState('a')?.tracks).toBe(0);
    picture.receive(A, 96_000, { lon: 100, lat: 10 });
    expect(picture.settle(96_000)).toMatchObject([{ lon: 100, confidence: 'single' }]);
  });
});
