import { describe, expect, test } from 'vitest';
import {
  alongMs,
  at,
  feedOf,
  fixOf,
  isAt,
  offM,
  Picture,
  parsedOf,
  START_MS,
  timesOf,
  WORLD,
} from './fusion.fixture.ts';

const [A, B] = [feedOf('a'), feedOf('b')];

describe('one station', () => {
  test('serves its fixes unchanged', () => {
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

  test('makes no observation of a repeated position', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.fusion.add(A, parsedOf([fixOf({ feedTimeMs: START_MS + 60 })], START_MS + 1000), at(1000));
    picture.settle(1000);
    expect(timesOf(picture.past)).toEqual([0]);
    expect(picture.fusion.feedState('a')?.counts).toMatchObject({ observed: 1, repeated: 1 });
  });

  test('observes a standing track at each fix', () => {
    const picture = new Picture();
    for (let ms = 0; ms <= 3000; ms += 1000) picture.receive(A, ms, { lon: 8.5, lat: 47.4, speedMps: 0 });
    picture.settle(3000);
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000, 3000]);
  });

  test('lets an abandoned file get old, also with a wrong clock', () => {
    for (const errorMs of [0, 3_600_000, -3_600_000]) {
      const picture = new Picture();
      for (let ms = -2000; ms < 20_000; ms += 1000) {
        const feedTimeMs = START_MS + errorMs + Math.min(0, ms);
        picture.fusion.add(A, parsedOf([fixOf({ feedTimeMs, ...alongMs(Math.min(0, ms)) })], feedTimeMs), at(ms));
        picture.settle(ms);
      }
      expect(timesOf(picture.past)).toEqual(errorMs === 0 ? [-2000, -1000, 0] : [0]);
    }
  });

  test.each([-40 * 86_400_000, -3 * 3_600_000, -20_000, 3_600_000])(
    'a message whose clock is %d ms off is not served until that clock is seen to run',
    (errorMs) => {
      const picture = new Picture();
      const poll = (ms: number, writtenMs: number) => {
        const feedTimeMs = START_MS + errorMs + writtenMs;
        picture.fusion.add(A, parsedOf([fixOf({ feedTimeMs, ...alongMs(writtenMs) })], feedTimeMs), at(ms));
        picture.settle(ms);
      };
      for (let ms = 0; ms < 60_000; ms += 1000) poll(ms, 0);
      expect([picture.past, picture.live(60_000)]).toEqual([[], []]);
      for (let ms = 60_000; ms <= 62_000; ms += 1000) poll(ms, ms);
      expect(timesOf(picture.past)).toEqual([62_000]);
    },
  );

  test('dates a message by its known age', () => {
    const picture = new Picture();
    const feedTimeMs = START_MS - 12_000;
    const delivery = { ...parsedOf([fixOf({ feedTimeMs })], feedTimeMs), writtenAgoMs: 12_000 };
    picture.fusion.add(A, delivery, at(0));
    expect(timesOf(picture.settle(0))).toEqual([-12_000]);
  });

  test('serves only changes after a first answer without any time', () => {
    const picture = new Picture();
    picture.fusion.add(A, { ...parsedOf([fixOf()]), mayBeOld: true }, at(0));
    picture.fusion.add(A, { ...parsedOf([fixOf(alongMs(1000))]), mayBeOld: false }, at(1000));
    picture.settle(1000);
    expect(timesOf(picture.past)).toEqual([1000]);
    expect(picture.fusion.feedState('a')?.counts.undated).toBe(1);
  });

  test('drops a fix that arrives after a later one', () => {
    const picture = new Picture();
    picture.receive(A, 2000);
    picture.settle(2000);
    picture.fusion.add(A, parsedOf([fixOf({ feedTimeMs: START_MS + 1000, ...alongMs(1000) })]), at(2100));
    expect(picture.settle(2100)).toEqual([]);
    expect(picture.fusion.feedState('a')?.counts.overtaken).toBe(1);
  });

  test('drops one impossible position, and serves three in a row as inconsistent', () => {
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

  test('restarts that row after a fix at the old place or ten seconds of silence', () => {
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

  test('serves the same one of two simultaneous positions in any order', () => {
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

  test('lets a track turn back', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(A, 600, alongMs(-100));
    picture.settle(600);
    expect(timesOf(picture.past)).toEqual([0, 600]);
  });

  test('serves a new place only if it is repeated', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    for (let ms = 1000; ms <= 9000; ms += 1000) picture.receive(A, ms, offM(ms, 20_000 + 7 * ms));
    picture.settle(9000);
    expect(timesOf(picture.past)).toEqual([0]);
  });

  test('keeps two transmitters of one name from making a mark jump', () => {
    const picture = new Picture();
    const other = offM(0, 50_000);
    for (let ms = 0; ms < 50_000; ms += 1000) {
      picture.receive(A, ms, ms % 8000 < 4000 ? {} : other);
      picture.settle(ms);
    }
    const places = picture.past.map((seen) => (isAt(seen, other) ? 'other' : 'first'));
    expect(places.filter((place, index) => place !== (places[index - 1] ?? place)).length).toBeLessThanOrEqual(1);
    expect(picture.past.at(-1)?.confidence).toBe('inconsistent');
  });
});

describe('a drone', () => {
  const drone = { layer: 'rid', speedMps: 8, accuracyM: 3, emergencyState: null, feedTimeMs: undefined } as const;

  test('is dated by its own time, which also reveals repetitions', () => {
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

  test('is observed at each of its own times while hovering', () => {
    const picture = new Picture();
    for (let ms = 0; ms <= 3000; ms += 1000) {
      picture.receive(A, ms, { ...drone, ...alongMs(0), trackTimeMs: START_MS + ms });
      picture.receive(B, ms + 200, { ...drone, ...alongMs(0), trackTimeMs: START_MS + ms });
    }
    picture.settle(10_000);
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000, 3000]);
  });

  test('is dated by reception if its own clock is wrong, in its clock’s order', () => {
    const picture = new Picture();
    const sent = (ms: number) => ({ ...drone, ...alongMs(ms / 25), trackTimeMs: START_MS + ms - 20_000 });
    for (let ms = 0; ms <= 5000; ms += 1000) picture.receive(A, ms, sent(ms));
    picture.settle(5000);
    picture.receive(B, 8000, sent(0));
    picture.settle(10_000);
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
  });

  test('is observed although its clock stands still', () => {
    const picture = new Picture();
    for (let ms = 0; ms <= 3000; ms += 1000) {
      picture.receive(A, ms, { ...drone, ...alongMs(ms / 25), trackTimeMs: START_MS - 100_000 });
    }
    picture.settle(10_000);
    expect(timesOf(picture.past)).toEqual([0, 1000, 2000, 3000]);
  });

  test('is another track than an aircraft with its key', () => {
    const picture = new Picture();
    picture.receive(A, 0);
    picture.receive(A, 0, { ...drone, lon: 50 });
    picture.settle(100);
    expect(picture.fusion.live('rid', WORLD, at(100))).toMatchObject([{ layer: 'rid', lon: 50 }]);
    expect(picture.fusion.live('adsb', WORLD, at(100))).toMatchObject([{ layer: 'adsb', lon: 8.5 }]);
  });
});

test('marks simulated tracks, and never mixes them with received ones of the same name', () => {
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
