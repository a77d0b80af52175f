import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FeedClock } from './feed-clock.ts';

const NOW_MS = Date.UTC(2026, 10, 23, 12);

function learnt(answers: number, errorMs: (answer: number) => number, delayMs: (answer: number) => number): FeedClock {
  const clock = new FeedClock();
  for (let answer = 0; answer < answers; answer += 1) {
    const receivedMs = NOW_MS + answer * 1000;
    clock.learn(receivedMs + errorMs(answer) - delayMs(answer), receivedMs);
  }
  return clock;
}

/** A file that is written once a second and read at any time. */
const asPolled = (answer: number) => 20 + ((answer * 377) % 1000);

describe('the error of a feed’s clock', () => {
  test('leaves a right clock alone, however old the answers', () => {
    const clock = learnt(120, () => 0, asPolled);
    expect(clock.basis).toBe('feed');
    expect(clock.errorMs).toBeGreaterThan(-150);
    expect(clock.receptionMs(NOW_MS - 700, NOW_MS, NOW_MS)).toBe(NOW_MS - 700);
  });

  test.each([3000, 600, -600, -3000])('subtracts %d ms', (error) => {
    const clock = learnt(120, () => error, asPolled);
    expect(clock.basis).toBe('corrected');
    expect(Math.abs(clock.errorMs! - error)).toBeLessThan(150);
    const receivedMs = clock.receptionMs(NOW_MS + error - 5000, NOW_MS + error, NOW_MS);
    expect(Math.abs(receivedMs - (NOW_MS - 5000))).toBeLessThan(150);
  });

  test('subtracts it from the first answer on', () => {
    const clock = learnt(
      1,
      () => 3000,
      () => 100,
    );
    expect(clock.receptionMs(NOW_MS + 2000, NOW_MS + 2900, NOW_MS)).toBe(NOW_MS - 900);
  });

  test.each([8000, -8000, 3_600_000])('uses times of arrival if it is %d ms', (error) => {
    const clock = learnt(120, () => error, asPolled);
    expect(clock.isDoubtful).toBe(true);
    expect(clock.receptionMs(NOW_MS + error, undefined, NOW_MS)).toBe(NOW_MS);
    expect(clock.receptionMs(NOW_MS + error - 4000, NOW_MS + error, NOW_MS)).toBe(NOW_MS - 4000);
  });

  test('refuses a clock that jumps', () => {
    const clock = learnt(120, (answer) => (Math.floor(answer / 15) % 2) * 3000, asPolled);
    expect(clock.isDoubtful).toBe(true);
  });

  test('tolerates slow and uneven delivery', () => {
    const clock = learnt(
      300,
      () => 0,
      (answer) => 30 + ((Math.imul(answer, 2_654_435_761) >>> 0) % 4000),
    );
    expect(clock.basis).toBe('feed');
    expect(clock.spreadMs).toBeLessThan(1500);
  });

  test('ignores a single wrong time', () => {
    const clock = learnt(120, (answer) => (answer === 100 ? 3_600_000 : 0), asPolled);
    expect(clock.basis).toBe('feed');
    expect(clock.errorMs).toBeGreaterThan(-150);
  });

  test('knows a clock a minute after it was set', () => {
    const clock = learnt(200, (answer) => (answer < 120 ? 3000 : 0), asPolled);
    expect(clock.basis).toBe('feed');
  });

  test('learns nothing from an abandoned file', () => {
    const clock = learnt(60, () => 0, asPolled);
    for (let ms = 60_000; ms < 200_000; ms += 1000) clock.learn(NOW_MS + 60_000, NOW_MS + ms);
    expect(clock.basis).toBe('feed');
  });

  test('uses times of arrival for a feed without times', () => {
    const clock = new FeedClock();
    expect(clock).toMatchObject({ basis: 'arrival', errorMs: undefined, isDoubtful: false });
    expect(clock.receptionMs(undefined, undefined, NOW_MS)).toBe(NOW_MS);
  });

  test('widens the uncertainty by the error of a slow clock, which may be a delay', () => {
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

test('never dates a fix after its arrival', () => {
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
