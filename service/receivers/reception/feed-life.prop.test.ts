import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { AnswerClock, DOWN_AFTER_MS, FeedLife, SILENCE_MIN_MS } from './feed-life.ts';

const START_MS = Date.UTC(2026, 10, 23, 12);
const within = (min: number, max: number) => fc.integer({ min, max });
/** Closer messages are one burst, which counts from its first one. */
const APART_MS = 100;

function started(unprovenMs?: number) {
  const life = new FeedLife(START_MS, { unprovenMs });
  life.connected(START_MS + 100);
  return life;
}

/** The pauses between messages from the start on. @returns when the last came */
function receive(life: FeedLife, pausesMs: readonly number[], fromMs = START_MS + 200, isBeacon = false): number {
  let atMs = fromMs;
  life.message(atMs, isBeacon);
  for (const ms of pausesMs) {
    atMs += ms;
    expect(life.at(atMs - 1).isReceiving).toBe(true);
    life.message(atMs, isBeacon);
  }
  return atMs;
}

describe('a silent feed', () => {
  test('with a message each second or two is lost within 11 s of the last one, and back with the next', () => {
    const pauses = fc.array(within(200, 2000), { minLength: 5, maxLength: 300 });
    fc.assert(
      fc.property(pauses, within(0, 10 * MINUTE_MS), (pausesMs, moreMs) => {
        const life = started();
        const lastMs = receive(life, pausesMs);
        const lostMs = lastMs + SILENCE_MIN_MS + SECOND_MS + moreMs;
        expect(life.at(lostMs)).toEqual({ isReceiving: false, sinceMs: lastMs });
        life.message(lostMs);
        expect(life.at(lostMs + 1)).toEqual({ isReceiving: true, sinceMs: lostMs, lostMs: lastMs });
        // One loss is no habit.
        expect(life.at(receive(life, [1000, 1000], lostMs + 1000) + 11 * SECOND_MS).isReceiving).toBe(false);
      }),
    );
  });

  test('is not lost by pauses under ten seconds, whatever their order', () => {
    fc.assert(
      fc.property(fc.array(within(APART_MS, SILENCE_MIN_MS), { maxLength: 300 }), (pausesMs) => {
        receive(started(), pausesMs);
      }),
    );
  });

  test('is not lost before five pauses are known, unless its program is known to say something', () => {
    const few = fc.array(within(APART_MS, MINUTE_MS), { maxLength: 4 });
    fc.assert(
      fc.property(few, within(MINUTE_MS, HOUR_MS), within(1, 100 * HOUR_MS), (pausesMs, unprovenMs, laterMs) => {
        const unknown = started();
        expect(unknown.at(receive(unknown, pausesMs) + laterMs).isReceiving).toBe(true);
        const known = started(unprovenMs);
        const lastMs = receive(known, pausesMs);
        expect(known.at(lastMs + laterMs).isReceiving).toBe(laterMs <= unprovenMs);
      }),
    );
  });

  test('with a regular heartbeat is lost once one is missed, whatever flew between', () => {
    fc.assert(
      fc.property(within(5, 120), within(2, 40), within(0, 50), (periodS, beats, flight) => {
        const life = started();
        let atMs = START_MS + 200;
        for (let beat = 0; beat <= beats; beat += 1) {
          life.message(atMs, true);
          const nextMs = atMs + periodS * SECOND_MS;
          if (beat >= 2) for (let ms = 0; ms < flight * 90; ms += 90) life.message(Math.min(nextMs - 1, atMs + ms));
          if (beat >= 2) expect(life.at(nextMs - 1).isReceiving).toBe(true);
          atMs = nextMs;
        }
        expect(life.at(atMs + Math.max(SILENCE_MIN_MS, 2 * SECOND_MS) + SECOND_MS + flight * 90).isReceiving).toBe(
          false,
        );
      }),
    );
  });

  test('that is often silent for long is lost once at most in an hour', () => {
    fc.assert(
      fc.property(fc.array(within(11, 600), { minLength: 2, maxLength: 20 }), (silencesS) => {
        const longestS = Math.max(...silencesS);
        const life = started();
        let atMs = receive(life, Array(20).fill(1000));
        let losses = 0;
        // Traffic of 20 s, then the same longest silence.
        for (let round = 0; round < 6; round += 1) {
          atMs += longestS * SECOND_MS;
          if (!life.at(atMs - 1).isReceiving) losses += 1;
          life.message(atMs);
          for (let index = 0; index < 20; index += 1) {
            atMs += SECOND_MS;
            life.message(atMs);
          }
        }
        expect(losses).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe('a feed that is down', () => {
  test('is lost after four seconds, since it was last heard, and restored by its next message', () => {
    const pauses = fc.array(within(200, 2000), { minLength: 5, maxLength: 50 });
    fc.assert(
      fc.property(pauses, within(0, 900), within(1, HOUR_MS), (pausesMs, afterMs, downMs) => {
        const life = started();
        const lastMs = receive(life, pausesMs);
        life.lost(lastMs + afterMs);
        const backMs = lastMs + afterMs + downMs;
        life.lost(backMs - 1);
        const isLost = downMs > DOWN_AFTER_MS;
        expect(life.at(backMs).isReceiving).toBe(!isLost);
        if (isLost) expect(life.at(backMs).sinceMs).toBe(lastMs);
        life.connected(backMs);
        // A connection alone proves nothing.
        expect(life.at(backMs).isReceiving).toBe(!isLost);
        life.message(backMs + 500);
        const times = isLost ? { sinceMs: backMs + 500, lostMs: lastMs } : { sinceMs: START_MS };
        expect(life.at(backMs + 501)).toEqual({ isReceiving: true, ...times });
      }),
    );
  });

  test('from the start on is lost since the start', () => {
    fc.assert(
      fc.property(fc.array(within(1, MINUTE_MS), { maxLength: 20 }), (attemptsMs) => {
        const life = new FeedLife(START_MS);
        let atMs = START_MS;
        for (const ms of attemptsMs) {
          atMs += ms;
          life.lost(atMs);
        }
        const laterMs = atMs + DOWN_AFTER_MS + 1;
        expect(life.at(laterMs)).toEqual({ isReceiving: false, sinceMs: START_MS });
        life.connected(laterMs);
        expect(life.at(laterMs + 1)).toEqual({ isReceiving: true, sinceMs: laterMs, lostMs: START_MS });
      }),
    );
  });

  test('and says little is taken for back with its connection, once', () => {
    const life = started();
    const lastMs = receive(life, [], START_MS + 1000, true);
    life.lost(lastMs + MINUTE_MS);
    expect(life.at(lastMs + MINUTE_MS + 5000)).toEqual({ isReceiving: false, sinceMs: lastMs });
    const backMs = lastMs + 2 * MINUTE_MS;
    life.connected(backMs);
    expect(life.at(backMs + HOUR_MS)).toEqual({ isReceiving: true, sinceMs: backMs, lostMs: lastMs });
    life.lost(backMs + HOUR_MS);
    life.connected(backMs + HOUR_MS + MINUTE_MS);
    expect(life.at(backMs + HOUR_MS + MINUTE_MS).isReceiving).toBe(false);
  });
});

describe('dense traffic', () => {
  const dense = (aircraft: number, seconds: number) => {
    const life = started();
    let atMs = START_MS + 1000;
    for (let second = 0; second < seconds; second += 1) {
      atMs += SECOND_MS;
      life.message(atMs);
      life.positions(atMs, aircraft);
    }
    return { life, lastMs: atMs };
  };

  test('that ends at once is a dead antenna, though its program goes on, until the next position', () => {
    fc.assert(
      fc.property(within(17, 3000), within(60, 300), within(11, 3000), (aircraft, seconds, laterS) => {
        const { life, lastMs } = dense(aircraft, seconds);
        let atMs = lastMs;
        for (let second = 0; second < laterS; second += 1) {
          atMs += SECOND_MS;
          life.message(atMs);
          expect(life.at(atMs).isReceiving).toBe(second < 10);
        }
        expect(life.at(atMs)).toEqual({ isReceiving: false, sinceMs: lastMs });
        life.positions(atMs + 1, 1);
        expect(life.at(atMs + 1)).toEqual({ isReceiving: true, sinceMs: atMs + 1, lostMs: lastMs });
      }),
      { numRuns: 30 },
    );
  });

  test('that thins out, or is of a few aircraft, ends without a loss', () => {
    fc.assert(
      fc.property(fc.constantFrom(2, 8, 30, 200), within(60, 300), (aircraft, seconds) => {
        const { life, lastMs } = dense(aircraft, seconds);
        let atMs = lastMs;
        if (aircraft > 15) {
          for (let left = 15; left > 0; left -= 1) {
            atMs += SECOND_MS;
            life.message(atMs);
            life.positions(atMs, left);
          }
        }
        for (let second = 0; second < 300; second += 1) {
          atMs += SECOND_MS;
          life.message(atMs);
          expect(life.at(atMs).isReceiving).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });
});

test('a feed has the same states at any start, and none of the future', () => {
  const anyEvent = fc.record({
    kind: fc.constantFrom('message', 'beacon', 'connected', 'lost'),
    ms: fc.oneof(within(0, 3000), within(0, HOUR_MS)),
  });
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 200 }), fc.option(within(SECOND_MS, HOUR_MS)), (events, unprovenMs) => {
      const lives = [0, 12_345_678].map((startMs) => ({
        startMs,
        life: new FeedLife(startMs, { unprovenMs: unprovenMs ?? undefined }),
      }));
      let passedMs = 0;
      for (const { kind, ms } of events) {
        passedMs += ms;
        const [one, other] = lives.map(({ startMs, life }) => {
          const atMs = startMs + passedMs;
          if (kind === 'message' || kind === 'beacon') life.message(atMs, kind === 'beacon');
          else life[kind as 'connected' | 'lost'](atMs);
          const { isReceiving, sinceMs } = life.at(atMs);
          expect(sinceMs).toBeGreaterThanOrEqual(startMs);
          expect(sinceMs).toBeLessThanOrEqual(atMs);
          if (kind === 'message' || kind === 'beacon') expect(isReceiving).toBe(true);
          return { isReceiving, sinceMs: sinceMs - startMs };
        });
        expect(one).toEqual(other);
      }
    }),
  );
});

describe('the clock of answers', () => {
  const moves = (clocks: readonly number[]) => {
    const clock = new AnswerClock();
    return clocks.map((ms) => clock.moved(ms));
  };

  test('moves with each newer answer, and not with the first, which may be an old file', () => {
    expect(moves([1000, 2000, 3000, 3000])).toEqual([false, true, true, false]);
  });

  test('does not move while caches alternate between old answers', () => {
    const seen = moves([1000, 2000, 1000, 2000, 1000, 2000, 1000, 2000]);
    expect(seen.slice(2)).toEqual(Array(6).fill(false));
  });

  test('moves again after it was set back, and does not for one older file', () => {
    expect(moves([9000, 10_000, 1000, 1000, 1000])).toEqual([false, true, false, false, false]);
    expect(moves([9000, 10_000, 1000, 2000, 3000, 4000, 5000]).slice(5)).toEqual([true, true]);
  });
});
