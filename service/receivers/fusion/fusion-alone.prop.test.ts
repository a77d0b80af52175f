import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alongMs, at, feedOf, fixOf, Picture, parsedOf, START_MS } from './fusion.fixture.ts';
import { RECENT_REPORT_MS } from './station-votes.ts';

const FEEDS = [feedOf('a'), feedOf('b'), feedOf('c', { aggregates: true })];
const [A, B] = [feedOf('a'), feedOf('b')];
const EVERY_MS = 1000;

const anyDelay = (missing: number) =>
  fc.oneof(
    { weight: missing, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 440 }) },
  );
/** The others hear it rarely enough to be away for ten seconds. */
const anyFlight = fc.array(fc.tuple(anyDelay(1), anyDelay(9), anyDelay(19)), { minLength: 20, maxLength: 60 });

test('counts the fixes of a track that no other feed heard for ten seconds, as a naive count does', () => {
  fc.assert(
    fc.property(anyFlight, (delays) => {
      const picture = new Picture();
      const deliveries = delays.flatMap((ofFeeds, index) =>
        ofFeeds.flatMap((delayMs, feed) =>
          delayMs === null ? [] : [{ feed, observedMs: index * EVERY_MS, ms: index * EVERY_MS + delayMs }],
        ),
      );
      for (let ms = 0; ms <= delays.length * EVERY_MS + 1000; ms += 20) {
        for (const { feed, observedMs } of deliveries.filter((each) => each.ms > ms - 20 && each.ms <= ms)) {
          const feedTimeMs = START_MS + observedMs;
          picture.fusion.add(
            FEEDS[feed]!,
            parsedOf([fixOf({ feedTimeMs, ...alongMs(observedMs) })], feedTimeMs),
            at(ms),
          );
        }
        picture.settle(ms);
      }
      const expected = FEEDS.map(
        (_, feed) =>
          delays.filter((ofFeeds, index) => {
            const recent = delays.slice(Math.max(0, index - RECENT_REPORT_MS / EVERY_MS), index + 1);
            return (
              ofFeeds[feed] !== null && recent.every((each) => each.every((by, other) => other === feed || by === null))
            );
          }).length,
      );
      expect(FEEDS.map(({ id }) => picture.fusion.feedState(id)?.alone ?? 0)).toEqual(expected);
    }),
  );
});

test('a fix that another feed sends after it was served is no longer one of a single feed', () => {
  const picture = new Picture();
  picture.receive(A, 0);
  picture.settle(600);
  expect(picture.fusion.feedState('a')?.alone).toBe(1);
  for (const _ of [1, 2]) {
    picture.fusion.add(B, parsedOf([fixOf({ feedTimeMs: START_MS })]), at(1500));
    expect(picture.fusion.feedState('a')?.alone).toBe(0);
  }
});

test('a simulated feed takes nothing from a receiver that hears the same name', () => {
  const picture = new Picture();
  picture.receive(feedOf('s', { simulated: true }), 0);
  picture.receive(A, 0);
  picture.settle(600);
  expect(['a', 's'].map((id) => picture.fusion.feedState(id)?.alone)).toEqual([1, 1]);
});
