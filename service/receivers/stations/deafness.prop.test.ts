import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import { type AircraftHour, type JudgedHour, judgeStations, NO_AIRCRAFT } from './deafness.ts';

const START_MS = Date.UTC(2026, 9, 5);
const hourMs = (index: number) => START_MS + index * HOUR_MS;

type Facts = Partial<AircraftHour> | null;

/** An hour with 50 aircraft of neighbours, of which the station hears a share. */
const receives = (share: number): Facts => ({ tracks: 50, expected: 3000, received: 3000 * share, own: 5000 * share });
/** A lone station's hour. */
const own = (positions: number): Facts => ({ own: positions });

function hoursOf(facts: readonly Facts[]): readonly JudgedHour[] {
  return facts.map((aircraft, index) => ({
    startMs: hourMs(index),
    connectedMs: HOUR_MS,
    aircraft: aircraft && { ...NO_AIRCRAFT, ...aircraft },
  }));
}
const judged = (...facts: readonly Facts[]) => judgeStations(new Map([['roof', hoursOf(facts)]])).get('roof')!;
const times = (count: number, facts: Facts) => Array<Facts>(count).fill(facts);
/** By day more than by night, and fewer at weekends. */
const weekOf = (share: number) =>
  Array.from({ length: 7 * 24 }, (_, hour) => {
    const isNight = hour % 24 < 5;
    return own(isNight ? 0 : share * (hour >= 5 * 24 ? 3000 : 6000));
  });

describe('a station with neighbours', () => {
  test.each([
    [0.1, 1],
    [0.4, 4],
    [0.6, 8],
    [0.7, 12],
  ])('that hears %d of its usual is deaf after %d hours, since the first of them', (share, hours) => {
    const before = times(48, receives(1));
    expect(judged(...before, ...times(hours - 1, receives(share))).deaf).toBeUndefined();
    const { deaf } = judged(...before, ...times(hours, receives(share)));
    expect(deaf?.share).toBeCloseTo(share, 5);
    expect(deaf?.sinceMs).toBe(hourMs(48));
  });

  test('hears well again after an hour', () => {
    const deaf = [...times(48, receives(1)), ...times(72, receives(0.35))];
    expect(judged(...deaf, receives(0.4)).deaf?.share).toBeCloseTo(0.35, 1);
    expect(judged(...deaf, receives(1)).deaf).toBeUndefined();
  });

  test('is never deaf while it hears at least 85%, whatever its traffic', () => {
    const anyHour = fc.record({
      tracks: fc.nat(400),
      expected: fc.nat(30_000),
      share: fc.double({ min: 0.85, max: 2, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(fc.option(anyHour, { nil: null }), { maxLength: 744 }), (hours) => {
        const facts = hours.map((hour) => hour && { ...hour, received: Math.ceil(hour.expected * hour.share) });
        expect(judged(...facts).deaf).toBeUndefined();
      }),
    );
  });

  test('hours without a record or without traffic change nothing', () => {
    const anyQuiet = fc.array(fc.constantFrom<Facts>(null, {}, { own: 0 }), { maxLength: 10 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), anyQuiet), { maxLength: 60 }),
        (parts) => {
          const busy = parts.map(([share]) => receives(share));
          const quiet = parts.flatMap(([share, nothing]) => [receives(share), ...nothing]);
          const [one, other] = [judged(...busy).deaf, judged(...quiet).deaf];
          // After a day without neighbours, the station counts as alone.
          const isRecent = quiet.slice(-24).some((facts) => facts?.tracks);
          if (isRecent) expect(other?.share).toBe(one?.share);
        },
      ),
    );
  });

  test('is not deaf while each neighbour hears as little: it is the weather', () => {
    const [dry, wet] = [times(48, receives(1)), times(10, receives(0.4))];
    const stations = (...others: readonly (readonly Facts[])[]) =>
      new Map([wet, ...others].map((last, index) => [`${index}`, hoursOf([...dry, ...last])]));
    const deaf = (...others: readonly (readonly Facts[])[]) => judgeStations(stations(...others)).get('0')?.deaf;
    expect(deaf(wet, wet)).toBeUndefined();
    expect(deaf(wet, times(10, receives(1)))?.share).toBeCloseTo(0.4, 5);
    expect(deaf(times(10, receives(1)))?.share).toBeCloseTo(0.4, 5);
  });

  test('that was moved is not deaf, and its usual reach counts no more', () => {
    const moved = { tracks: 50, expected: 3000, received: 300, own: 4000, elsewhere: 3000 };
    const judgement = judged(...times(48, receives(1)), ...times(30, moved));
    expect(judgement.deaf).toBeUndefined();
    expect(judgement.movedMs).toBeGreaterThanOrEqual(hourMs(48));
  });
});

describe('a station alone', () => {
  const weeks = [...weekOf(1), ...weekOf(0.9), ...weekOf(1.1)];

  test.each([
    [0.1, 24],
    [0.4, 48],
  ])('that hears %d of the same hours of earlier weeks is deaf within %d hours', (share, hours) => {
    const { deaf } = judged(...weeks, ...weekOf(share).slice(0, hours));
    expect(deaf?.share).toBeCloseTo(share, 1);
    expect(deaf?.sinceMs).toBe(hourMs(weeks.length + 5));
  });

  test('is not deaf on a quiet day, in its first two weeks, or with a third less', () => {
    const quietDay = weekOf(0.3).slice(0, 24);
    expect(judged(...weeks, ...quietDay, ...weekOf(1).slice(24)).deaf).toBeUndefined();
    expect(judged(...weekOf(1), ...weekOf(0.2).slice(0, 96)).deaf).toBeUndefined();
    expect(judged(...weeks, ...weekOf(0.67)).deaf).toBeUndefined();
  });

  test('that hears only drones, or nothing, is not judged', () => {
    expect(judged(...times(744, own(0)))).toEqual({ deaf: undefined, movedMs: undefined });
    expect(judgeStations(new Map([['roof', []]])).get('roof')?.deaf).toBeUndefined();
  });

  test('whose hours are not recorded is not deaf', () => {
    expect(judged(...weeks, ...times(DAY_MS / HOUR_MS, null)).deaf).toBeUndefined();
  });
});
