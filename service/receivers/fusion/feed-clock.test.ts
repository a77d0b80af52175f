import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FeedClock } from './feed-clock.ts';

const NOW_MS = Date.UTC(2026, 10, 23, 12);

/** A clock that was learnt from so many answers, one a second, each as old as `delayMs` says. */
function learnt(answers: number, errorMs: (answer: number) => number, delayMs: (answer: number) => number): FeedClock {
  const clock = new FeedClock();
  for (let answer = 0; answer < answers; answer += 1) {
    const receivedMs = NOW_MS + answer * 1000;
    clock.learn(receivedMs + errorMs(answer) - delayMs(answer), receivedMs);
  }
  return clock;
}

/** A file that is written once a second, and read at any time in between. */
const asPolled = (answer: number) => 20 + ((answer * 377) % 1000);

describe('the error of a clock', () => {
  test('a right clock is believed, however old the answers are when they are read', () => {
    const clock = learnt(120, () => 0, asPolled);
    expect(clock.basis).toBe('feed');
    expect(clock.errorMs).toBeGreaterThan(-150);
    expect(clock.receptionMs(NOW_MS - 700, NOW_MS, NOW_MS)).toBe(NOW_MS - 700);
  });

  test.each([3000, 600, -600, -3000])('%d ms are subtracted', (error) => {
    const clock = learnt(120, () => error, asPolled);
    expect(clock.basis).toBe('corrected');
    expect(Math.abs(clock.errorMs! - error)).toBeLessThan(150);
    const receivedMs = clock.receptionMs(NOW_MS + error - 5000, NOW_MS + error, NOW_MS);
    expect(Math.abs(receivedMs - (NOW_MS - 5000))).toBeLessThan(150);
  });

  test('it is subtracted from the first answer on', () => {
    const clock = learnt(
      1,
      () => 3000,
      () => 100,
    );
    expect(clock.receptionMs(NOW_MS + 2000, NOW_MS + 2900, NOW_MS)).toBe(NOW_MS - 900);
  });

  test.each([8000, -8000, 3_600_000])('%d ms are too many: what arrives counts as received then', (error) => {
    const clock = learnt(120, () => error, asPolled);
    expect(clock.isDoubtful).toBe(true);
    expect(clock.receptionMs(NOW_MS + error, undefined, NOW_MS)).toBe(NOW_MS);
    // How old a position is within an answer is right on any clock.
    expect(clock.receptionMs(NOW_MS + error - 4000, NOW_MS + error, NOW_MS)).toBe(NOW_MS - 4000);
  });

  test('a clock that jumps is no clock', () => {
    const clock = learnt(120, (answer) => (Math.floor(answer / 15) % 2) * 3000, asPolled);
    expect(clock.isDoubtful).toBe(true);
  });

  test('slow and uneven delivery is not a clock that jumps', () => {
    const clock = learnt(
      300,
      () => 0,
      (answer) => 30 + ((Math.imul(answer, 2_654_435_761) >>> 0) % 4000),
    );
    expect(clock.basis).toBe('feed');
    expect(clock.spreadMs).toBeLessThan(1500);
  });

  test('one wrong stamp changes nothing', () => {
    const clock = learnt(120, (answer) => (answer === 100 ? 3_600_000 : 0), asPolled);
    expect(clock.basis).toBe('feed');
    expect(clock.errorMs).toBeGreaterThan(-150);
  });

  test('a clock that was set is known after a minute', () => {
    const clock = learnt(200, (answer) => (answer < 120 ? 3000 : 0), asPolled);
    expect(clock.basis).toBe('feed');
  });

  test('a file that nobody writes any more says nothing about a clock', () => {
    const clock = learnt(60, () => 0, asPolled);
    for (let ms = 60_000; ms < 200_000; ms += 1000) clock.learn(NOW_MS + 60_000, NOW_MS + ms);
    expect(clock.basis).toBe('feed');
  });

  test('a feed without times has no clock: what it sends counts as received when it arrives', () => {
    const clock = new FeedClock();
    expect(clock).toMatchObject({ basis: 'arrival', errorMs: undefined, isDoubtful: false });
    expect(clock.receptionMs(undefined, undefined, NOW_MS)).toBe(NOW_MS);
  });

  test('a clock that is behind may be a delay: its times may be wrong by as much', () => {
    const [behind, ahead] = [-3000, 3000].map(
      (error) =>
        learnt(
          60,
          () => error,
          () => 10,
        ).slackMs,
    );
    expect(behind).toBeGreaterThan(3000);
    expect(ahead).toBe(500);
  });
});

test('nothing is received after it arrived, whatever a feed says', () => {
  const ms = fc.integer({ min: -10_000_000, max: 10_000_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(ms, fc.nat(30_000)), { maxLength: 80 }), ms, fc.option(ms), (learnt, time, sent) => {
      const clock = new FeedClock();
      let receivedMs = NOW_MS;
      for (const [errorMs, laterMs] of learnt) {
        receivedMs += laterMs;
        clock.learn(receivedMs + errorMs, receivedMs);
        const received = clock.receptionMs(
          receivedMs + time,
          sent === null ? undefined : receivedMs + sent,
          receivedMs,
        );
        expect(received).toBeLessThanOrEqual(receivedMs);
        expect(Number.isInteger(received)).toBe(true);
      }
    }),
  );
});
