import fc from 'fast-check';
import { expect, test } from 'vitest';
import { epochMs } from '#lib/time/instant.ts';
import type { Observation } from '../../sources/observation.ts';
import { FeedTimes, type TimedMessage } from './feed-times.ts';
import type { FeedTraits } from './fused-feed.ts';
import { alongMs, at, feedOf, fixOf, keyOf, msOf, parsedOf, START_MS, WORLD } from './fusion.fixture.ts';
import { makeFusion } from './fusion.ts';

const STEP_MS = 200;
const STEPS = 60;

interface Sent {
  readonly feed: FeedTraits;
  readonly ms: number;
  readonly message: TimedMessage;
}

/** What stations hear of aircraft that fly past, each with its delay. */
const traffic = fc
  .record({
    stations: fc.array(
      fc.record({
        delayMs: fc.nat(600),
        hears: fc.integer({ min: 1, max: 3 }),
        everyMs: fc.constantFrom(400, 1000),
        isSimulated: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    cutStep: fc.integer({ min: 10, max: 50 }),
    /** So many steps before it was cut off nothing is written any more; what is older is not sent again. */
    unwrittenSteps: fc.nat(6),
    againSteps: fc.integer({ min: 20, max: 60 }),
  })
  .map(({ stations, ...cut }) => {
    const sent: Sent[] = stations.flatMap(({ delayMs, hears, everyMs, isSimulated }, index) => {
      const feed = feedOf(`station ${index}`, { simulated: isSimulated });
      const times = new FeedTimes();
      return Array.from({ length: (STEPS * STEP_MS) / everyMs }, (_, each) => {
        const heardMs = each * everyMs;
        const fixes = Array.from({ length: hears }, (_, track) =>
          fixOf({ trackKey: keyOf(track), feedTimeMs: START_MS + heardMs, ...alongMs(heardMs) }),
        );
        const ms = heardMs + delayMs;
        return { feed, ms, message: times.time(feed.id, parsedOf(fixes, START_MS + ms), at(ms)) };
      });
    });
    return { sent: sent.sort((a, b) => a.ms - b.ms), ...cut };
  });

/** What is settled in each step of those of `sent` that come until then, if it begins with step `from`. */
function fuse(sent: readonly Sent[], from: number, until: number, recorded: readonly Observation[]) {
  const fusion = makeFusion({ recorded });
  const waiting = [...sent];
  const settled: Observation[][] = [];
  for (let step = from; step < until; step += 1) {
    while (waiting.length > 0 && waiting[0]!.ms <= step * STEP_MS) {
      const { feed, message } = waiting.shift()!;
      fusion.addTimed(feed, message, at(step * STEP_MS));
    }
    settled.push(fusion.settle(at(step * STEP_MS)));
  }
  return { fusion, settled };
}

const named = (observations: readonly Observation[]) =>
  observations.map((each) => `${each.simulated ? 'simulated ' : ''}${each.sourceId} ${msOf(each)}`).sort();

test('after a cut, what is sent once more and goes on gives what would have been without it, each observation once', () => {
  fc.assert(
    fc.property(traffic, ({ sent, cutStep, unwrittenSteps, againSteps }) => {
      const end = STEPS + 30;
      const { settled: whole } = fuse(sent, 0, end, []);
      const written = fuse(sent, 0, cutStep, [])
        .settled.slice(0, cutStep - unwrittenSteps)
        .flat();
      const again = sent.filter(({ ms }) => ms > (cutStep - againSteps) * STEP_MS);
      const resumed = fuse(again, cutStep, end, written);
      expect(named([...written, ...resumed.settled.flat()])).toEqual(named(whole.flat()));
    }),
  );
});

test('what was recorded last is live at once, and goes on from there', () => {
  const first = makeFusion();
  const feed = feedOf('roof');
  const hear = (fusion: typeof first, ms: number) =>
    fusion.add(feed, parsedOf([fixOf({ feedTimeMs: START_MS + ms, ...alongMs(ms) })], START_MS + ms), at(ms));
  hear(first, 0);
  const recorded = first.settle(at(100));
  expect(recorded).toHaveLength(1);
  const next = makeFusion({ recorded });
  expect(next.live('adsb', WORLD, at(5000))).toEqual(recorded);
  // Once more, and then where it can't be: it is judged by where the track was.
  hear(next, 0);
  next.add(feed, parsedOf([fixOf({ feedTimeMs: START_MS + 5000, lon: 20 })], START_MS + 5000), at(5000));
  expect(next.settle(at(7000))).toEqual([]);
  hear(next, 7000);
  expect(next.settle(at(9000)).map(({ observedAt }) => epochMs(observedAt) - START_MS)).toEqual([7000]);
});
