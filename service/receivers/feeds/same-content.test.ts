import { describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SameContent } from './same-content.ts';
import { START } from './test-surroundings.fixture.ts';

function answerOf(n: number, rssi: number | undefined = -9.1): Uint8Array {
  return Buffer.from(
    JSON.stringify({ now: 1000 + n, messages: n * 7, aircraft: [{ hex: '3f8001', lat: 47 + n, rssi }] }),
  );
}

function play(
  same: SameContent,
  seconds: readonly [from: number, to: number],
  answers: (n: number) => readonly (Uint8Array | undefined)[],
  servers = ['one:80/a', 'other:80/a'],
): (number | undefined)[] {
  const counted: (number | undefined)[] = [];
  for (let n = seconds[0]; n < seconds[1]; n += 1) {
    const at: UpstreamInstant = addMs(START, n * 1000);
    answers(n).forEach((answer, feed) => {
      if (answer !== undefined) same.note(feed, answer, servers[feed]!, addMs(at, feed * 300));
    });
    counted.push(same.countedInstead(1, addMs(at, 500)));
  }
  return counted;
}

describe('feeds with the same answers', () => {
  test('count once after 10 s, and twice again 10 s after they differ', () => {
    const same = new SameContent();
    expect(play(same, [0, 12], (n) => [answerOf(n), answerOf(n)]).at(-1)).toBe(0);
    expect(play(same, [12, 24], (n) => [answerOf(n), answerOf(n, -3)]).at(-1)).toBeUndefined();
  });

  test('count for themselves while the other address does not answer', () => {
    const same = new SameContent();
    play(same, [0, 12], (n) => [answerOf(n), answerOf(n)]);
    const alone = play(same, [12, 30], (n) => [undefined, answerOf(n)]);
    expect(alone[0]).toBe(0);
    expect(alone.at(-1)).toBeUndefined();
  });

  test('count once for answers rendered per request only from one server and path', () => {
    const renamed = (n: number) => [
      answerOf(n),
      Buffer.from(
        answerOf(n)
          .toString()
          .replace(/"now":(\d+)/, `"now":$1.3`),
      ),
    ];
    expect(play(new SameContent(), [0, 6], renamed, ['ip:80/a', 'ip:80/a']).at(-1)).toBe(0);
    expect(play(new SameContent(), [0, 60], renamed, ['ip:80/a', 'ip:80/b']).at(-1)).toBeUndefined();
  });

  test('stay two for two stations with the same aircraft, also at one server', () => {
    const servers = ['ip:80/a', 'ip:80/a'];
    const own = (n: number) => [answerOf(n, -9), answerOf(n, -9.1)];
    expect(play(new SameContent(), [0, 60], own, servers).every((counted) => counted === undefined)).toBe(true);
  });

  test('stay two for stations that agree by chance every other second', () => {
    const byChance = (n: number) => [answerOf(n), n % 2 === 0 ? answerOf(n) : answerOf(n, -5)];
    expect(play(new SameContent(), [0, 60], byChance).every((counted) => counted === undefined)).toBe(true);
  });
});
