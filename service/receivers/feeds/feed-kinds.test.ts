import { expect, test } from 'vitest';
import type { Fix } from '../fix.ts';
import { makeKeyOf } from '../fix.ts';
import type { Inlet } from './feed.ts';
import type { FeedKind } from './feed-kind.ts';
import { FEED_KINDS, feedUrlProblem, sameStations } from './feed-kinds.ts';
import { makeFeedSet } from './feed-set.ts';
import { readFeedsFile } from './read-feeds-file.ts';
import { makeTestSurroundings } from './test-surroundings.fixture.ts';

let toyInlet: Inlet | undefined;

const toy: FeedKind = {
  example: 'toy://shelf',
  usualPort: 4711,
  layers: ['rid'],
  signs: {},
  settings: ['username', 'password_file'],
  instead: { ca_file: 'lock the shelf' },
  aggregates: true,
  words: {
    expected: 'toys',
    json: () => 'its JSON is no toy',
    sbs: 'it sends SBS lines',
    without: { no_position: 'its toys are in the box' },
  },
  check: (url) => (url.hostname === '' ? 'a shelf is missing' : undefined),
  places: (url) => [url.hostname],
  open: (settings, keyOf) => ({
    parser: {
      parse(message) {
        if (String(message) !== 'toy') return { fixes: [], refused: ['no_position'], feedClockMs: undefined };
        const trackKey = keyOf('rid', settings.id);
        return { fixes: [{ layer: 'rid', trackKey, lon: 8, lat: 47 } as Fix], refused: [], feedClockMs: undefined };
      },
    },
    connect(inlet) {
      toyInlet = inlet;
      inlet.connected();
      return { close: async () => {} };
    },
  }),
};
const kinds = { ...FEED_KINDS, toy };

test('a new kind is one row: its addresses, settings, words, parser and transport', async () => {
  expect(feedUrlProblem('toy://shelf')).toMatch(/^write one of /);
  expect(feedUrlProblem('toy://shelf', kinds)).toBeUndefined();
  expect(feedUrlProblem('toy://', kinds)).toBe('a shelf is missing, such as toy://shelf');
  expect(feedUrlProblem('shelf:4711', kinds)).toBe('write toy:// before it: toy://shelf:4711');
  expect(sameStations(['toy://shelf', 'toy://shelf/'], kinds)).toEqual([undefined, 0]);

  const feeds = [{ id: 'a', url: 'toy://shelf' }];
  expect(readFeedsFile(JSON.stringify({ feeds: [{ ...feeds[0], times: 'utc' }] }), kinds)).toMatchObject({
    problems: ['feeds[0].times: toy:// does not use it: leave it out. It is for sbs://'],
  });
  expect(readFeedsFile(JSON.stringify({ feeds: [{ ...feeds[0], ca_file: 'ca.pem' }] }), kinds)).toMatchObject({
    problems: ['feeds[0].ca_file: toy:// does not use it: lock the shelf'],
  });
  const read = readFeedsFile(JSON.stringify({ feeds }), kinds);
  if (!read.ok) throw new Error(read.problems.join());
  expect(read.feeds).toMatchObject([{ id: 'a', aggregates: true }]);

  const { surroundings, move } = makeTestSurroundings();
  const fixes: Fix[] = [];
  const set = makeFeedSet({
    keyOf: makeKeyOf(new Uint8Array(32)),
    deliver: (_feed, delivery) => fixes.push(...delivery.fixes),
    surroundings,
    kinds,
  });
  set.run(read.feeds);
  expect(set.lives()).toMatchObject([{ id: 'a', layers: ['rid'] }]);
  toyInlet?.message('toy');
  expect(fixes).toMatchObject([{ layer: 'rid', lon: 8, lat: 47 }]);
  for (let message = 0; message < 20; message += 1) {
    toyInlet?.message('another toy');
    move(1000);
  }
  expect(set.statuses()[0]!.health.problem).toBe('its toys are in the box');
  await set.stop();
});
