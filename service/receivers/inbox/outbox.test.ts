import { expect, test } from 'vitest';
import { epochMs } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { makeTestSurroundings } from '../feeds/test-surroundings.fixture.ts';
import { feedOf, fixOf, keyOf, parsedOf } from '../fusion/fusion.fixture.ts';
import { readBatch } from './fix-batch.ts';
import { MemoryInbox } from './memory-inbox.fixture.ts';
import { Outbox } from './outbox.ts';

const ROOF = feedOf('roof');

function opened(maxFixes?: number) {
  const time = makeTestSurroundings();
  const { now } = time.surroundings;
  const inbox = new MemoryInbox(now);
  const outbox = new Outbox({
    inbox,
    service: 'here',
    surroundings: time.surroundings,
    ...(maxFixes === undefined ? {} : { maxFixes }),
  });
  /** The station hears an aircraft at a place of its own, so long ago. */
  const hear = (place: number, agoMs = 0) =>
    outbox.add(
      ROOF,
      parsedOf([fixOf({ trackKey: keyOf(1), feedTimeMs: epochMs(now()) - agoMs, lon: place })], epochMs(now())),
      now(),
    );
  /** What is in the inbox: the places, by row. */
  const places = () =>
    inbox.rows.map(({ bytes }) => readBatch(bytes)!.stations[0]!.message.fixes.map(({ fix }) => fix.lon));
  /** Time passes, and an attempt to send fails. */
  const attempt = async (ms: number) => {
    time.move(ms);
    await eventually(() => expect(time.waiting()).toBe(1), 1);
  };
  return { ...time, inbox, outbox, hear, places, attempt };
}

test('what is heard within a moment is sent together; what a poll repeats is not, nor what is too old', async () => {
  const { move, outbox, hear, places } = opened();
  for (let polls = 0; polls < 3; polls += 1) hear(3, 28_000);
  for (const place of [1, 2, 2]) hear(place);
  const sent = outbox.sent();
  move(200);
  expect(await sent).toBe(true);
  expect(places()).toEqual([[1, 2]]);
  expect(outbox.counts('roof')).toEqual({ late: 1, undated: 0, unsent: 0 });
  expect(outbox.counts('hill')).toBeUndefined();
  hear(2);
  expect(await outbox.sent()).toBe(true);
  expect(outbox.clock('roof')).toMatchObject({ basis: 'feed', errorMs: 0 });
});

test('while the inbox is lost it waits, and is sent afterwards, in its order', async () => {
  const { inbox, outbox, hear, places, attempt, move } = opened();
  inbox.isLost = true;
  for (const place of [1, 2, 3, 4, 5]) {
    hear(place);
    await attempt(place === 1 ? 200 : 1000);
  }
  expect(inbox.rows).toEqual([]);
  const sent = outbox.sent();
  inbox.isLost = false;
  move(500);
  expect(await sent).toBe(true);
  expect(places().flat()).toEqual([1, 2, 3, 4, 5]);
  expect(outbox.counts('roof')).toEqual({ late: 0, undated: 0, unsent: 0 });
});

test('what waits too long is dropped, counted and not said to be sent; when it comes again it is sent', async () => {
  const { inbox, outbox, hear, places, attempt, move } = opened();
  inbox.isLost = true;
  hear(1);
  await attempt(200);
  const sent = outbox.sent();
  for (let second = 0; second < 27; second += 1) await attempt(1000);
  move(1000);
  expect(await sent).toBe(false);
  expect(outbox.counts('roof')).toEqual({ late: 0, undated: 0, unsent: 1 });
  inbox.isLost = false;
  hear(1);
  const again = outbox.sent();
  move(500);
  expect(await again).toBe(true);
  expect(places()).toEqual([[1]]);
});

test('of too much the oldest is dropped', async () => {
  const { inbox, outbox, hear, places, attempt, move } = opened(3);
  inbox.isLost = true;
  for (const place of [1, 2, 3, 4, 5]) {
    hear(place);
    await attempt(place === 1 ? 200 : 1000);
  }
  expect(outbox.counts('roof')).toEqual({ late: 0, undated: 0, unsent: 2 });
  inbox.isLost = false;
  const sent = outbox.sent();
  move(500);
  expect(await sent).toBe(true);
  expect(places().flat()).toEqual([3, 4, 5]);
});

test('when it is closed, what waits is sent, or known not to be', async () => {
  const { outbox, hear, places, waiting } = opened();
  hear(1);
  await outbox.close();
  expect(places()).toEqual([[1]]);
  expect(waiting()).toBe(0);
  const lost = opened();
  lost.inbox.isLost = true;
  lost.hear(1);
  const sent = lost.outbox.sent();
  await lost.outbox.close();
  expect(await sent).toBe(false);
});
