import { describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Delivery, Fix, Parser, TrackKey } from '../fix.ts';
import type { Inlet } from './feed.ts';
import { runFeed } from './run-feed.ts';
import { makeTestSurroundings, START } from './test-surroundings.fixture.ts';

const FIX: Fix = {
  layer: 'adsb',
  trackKey: '0123456789abcdef0123456789abcdef' as TrackKey,
  feedTimeMs: undefined,
  trackTimeMs: undefined,
  lon: 8,
  lat: 47,
  altitudeM: null,
  heightAglM: null,
  speedMps: null,
  headingDeg: null,
  onGround: false,
  origin: 'broadcast',
  accuracyM: null,
  emergencyState: null,
  testBroadcast: false,
};

/** `+` is a fix, `-` a refusal, `!` a parser that throws, everything else a message with a clock alone. */
const parser: Parser = {
  parse(message) {
    const text = String(message);
    if (text.includes('!')) throw new Error('a parser that breaks its promise');
    return {
      fixes: [...text].filter((sign) => sign === '+').map(() => FIX),
      refused: [...text].filter((sign) => sign === '-').map(() => 'no_position' as const),
      feedClockMs: text === 'clock' ? 1_000 : undefined,
      ...(text.startsWith('field ') && { fields: { unknown: new Map([[text, 2]]), unusable: new Map([['gs', 1]]) } }),
    };
  },
};

function start(messagesPerSecondMax?: number) {
  const time = makeTestSurroundings();
  const delivered: { readonly parsed: Delivery; readonly receivedAt: UpstreamInstant }[] = [];
  let inlet: Inlet | undefined;
  let closed = 0;
  const feed = runFeed({
    id: 'roof',
    parser,
    connect(given) {
      inlet = given;
      return {
        async close() {
          closed += 1;
        },
      };
    },
    deliver: (parsed, receivedAt) => delivered.push({ parsed, receivedAt }),
    surroundings: time.surroundings,
    ...(messagesPerSecondMax === undefined ? {} : { messagesPerSecondMax }),
  });
  return { feed, time, delivered, inlet: inlet!, closed: () => closed };
}

describe('what a feed counts', () => {
  test('positions, refusals by cause, and when it was heard last', () => {
    const { feed, time, inlet, delivered } = start();
    expect(feed.health()).toMatchObject({ state: 'connecting', since: START, messages: 0, refused: {} });
    expect(feed.health().lastHeardAt).toBeUndefined();
    inlet.connected();
    time.move(5_000);
    inlet.message('++-');
    time.move(1_000);
    inlet.message('--');
    inlet.refuse('too_long');
    expect(feed.health()).toEqual({
      id: 'roof',
      state: 'connected',
      since: START,
      problem: undefined,
      lastHeardAt: addMs(START, 6_000),
      lastPositionAt: addMs(START, 5_000),
      positionsPerMinute: 2,
      messages: 3,
      positions: 2,
      refused: { no_position: 3, too_long: 1 },
      fields: { unknown: new Map(), unusable: new Map() },
    });
    expect(delivered.map(({ parsed }) => parsed.fixes.length)).toEqual([2]);
  });

  test('positions a minute are those of the last 60 seconds', () => {
    const { feed, time, inlet } = start();
    for (let second = 0; second < 90; second += 1) {
      inlet.message('++');
      time.move(1_000);
    }
    expect(feed.health().positionsPerMinute).toBe(118);
    time.move(58_000);
    expect(feed.health().positionsPerMinute).toBe(2);
    time.move(1_000_000);
    expect(feed.health().positionsPerMinute).toBe(0);
    expect(feed.health().positions).toBe(180);
  });

  test('a message with the time of the feed’s clock alone is delivered: fusion learns from it', () => {
    const { inlet, delivered } = start();
    inlet.message('clock', upstreamInstant(7));
    inlet.message('nothing');
    expect(delivered).toEqual([
      { parsed: { fixes: [], refused: [], feedClockMs: 1_000 }, receivedAt: upstreamInstant(7) },
    ]);
  });
});

describe('what a feed survives', () => {
  test('a loss is said with its problem until it is connected again; before the first connection it is connecting', () => {
    const { feed, time, inlet } = start();
    inlet.lost('refused');
    expect(feed.health()).toMatchObject({ state: 'connecting', problem: 'refused', since: START });
    time.move(1_000);
    inlet.connected();
    inlet.lost('closed');
    time.move(1_000);
    inlet.lost('no answer within 5 s');
    expect(feed.health()).toMatchObject({
      state: 'lost',
      problem: 'no answer within 5 s',
      since: addMs(START, 1_000),
    });
    inlet.connected();
    expect(feed.health()).toMatchObject({ state: 'connected', problem: undefined, since: addMs(START, 2_000) });
  });

  test('more messages than its limit are dropped and counted, until the next second', () => {
    const { feed, time, inlet } = start(3);
    for (let index = 0; index < 5; index += 1) inlet.message('+');
    time.move(1_000);
    inlet.message('+');
    expect(feed.health()).toMatchObject({ positions: 4, messages: 6, refused: { flood: 2 } });
  });

  test('a parser that throws costs one message', () => {
    const { feed, inlet } = start();
    inlet.message('!');
    inlet.message('+');
    expect(feed.health()).toMatchObject({ positions: 1, refused: { unreadable: 1 } });
  });

  test('once stopped it delivers nothing any more', async () => {
    const { feed, inlet, delivered, closed } = start();
    await feed.stop();
    inlet.connected();
    inlet.message('+');
    inlet.refuse('too_long');
    expect(closed()).toBe(1);
    expect(delivered).toEqual([]);
    expect(feed.health()).toMatchObject({ state: 'connecting', messages: 0, refused: {} });
  });
});

test('what a parser has held back is delivered once it is due, without another message', () => {
  const time = makeTestSurroundings();
  const delivered: UpstreamInstant[] = [];
  const feed = runFeed({
    id: 'roof',
    parser: {
      ...parser,
      due: (now) => ({ fixes: now === addMs(START, 2000) ? [FIX] : [], refused: [], feedClockMs: undefined }),
    },
    connect: () => ({ close: async () => {} }),
    deliver: (_, receivedAt) => delivered.push(receivedAt),
    surroundings: time.surroundings,
  });
  time.move(10_000);
  expect(delivered).toEqual([addMs(START, 2000)]);
  expect(feed.health()).toMatchObject({ positions: 1, positionsPerMinute: 1, messages: 0 });
  void feed.stop();
  expect(time.waiting()).toBe(0);
});

test('fields that gave no value are counted by name, with a bounded number of names', () => {
  const { feed, inlet } = start();
  for (let index = 0; index < 100; index += 1) inlet.message(`field ${index}`);
  const { unknown, unusable } = feed.health().fields;
  expect([unknown.size, unknown.get('field 0'), unknown.get('other')]).toEqual([32, 2, 138]);
  expect(unusable).toEqual(new Map([['gs', 100]]));
});
