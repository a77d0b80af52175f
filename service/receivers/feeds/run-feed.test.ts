import { describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { FeedDelivery, Fix, Parser, TrackKey } from '../fix.ts';
import { AIRCRAFT_JSON_WORDS } from './aircraft-kinds.ts';
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

/** `+` is a fix, `-` a refusal, `!` throws. */
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
  const delivered: { readonly parsed: FeedDelivery; readonly receivedAt: UpstreamInstant }[] = [];
  let inlet: Inlet | undefined;
  let closed = 0;
  const feed = runFeed({
    parser,
    connect(given) {
      inlet = given;
      return {
        async close() {
          closed += 1;
        },
      };
    },
    words: AIRCRAFT_JSON_WORDS,
    deliver: (parsed, receivedAt) => delivered.push({ parsed, receivedAt }),
    surroundings: time.surroundings,
    ...(messagesPerSecondMax === undefined ? {} : { messagesPerSecondMax }),
  });
  return { feed, time, delivered, inlet: inlet!, closed: () => closed };
}

describe('counts of a feed', () => {
  test('has positions, refusals by cause, and the time of the latest message', () => {
    const { feed, time, inlet, delivered } = start();
    expect(feed.health()).toMatchObject({ state: 'connecting', since: START, messages: 0, refused: {} });
    expect(feed.health().lastMessageAt).toBeUndefined();
    inlet.connected();
    time.move(5_000);
    inlet.message('++-');
    time.move(1_000);
    inlet.message('--');
    inlet.refuse('too_long');
    expect(feed.health()).toEqual({
      state: 'connected',
      since: START,
      problem: undefined,
      lastMessageAt: addMs(START, 6_000),
      lastPositionAt: addMs(START, 5_000),
      positionsPerMinute: 2,
      messages: 3,
      positions: 2,
      refused: { no_position: 3, too_long: 1 },
      fields: { unknown: new Map(), unusable: new Map() },
    });
    expect(delivered.map(({ parsed }) => parsed.fixes.length)).toEqual([2]);
  });

  test('has the positions of the last 60 seconds', () => {
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

  test('delivers a message with the feed’s clock alone, for fusion to learn from', () => {
    const { inlet, delivered } = start();
    inlet.message('clock', upstreamInstant(7));
    inlet.message('nothing');
    expect(delivered).toEqual([
      { parsed: { fixes: [], refused: {}, feedClockMs: 1_000 }, receivedAt: upstreamInstant(7) },
    ]);
  });
});

describe('failures of a feed', () => {
  test('reports a loss with its problem until reconnected, and is connecting before the first connection', () => {
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

  test('drops and counts messages beyond the limit until the next second', () => {
    const { feed, time, inlet } = start(3);
    for (let index = 0; index < 5; index += 1) inlet.message('+');
    time.move(1_000);
    inlet.message('+');
    expect(feed.health()).toMatchObject({ positions: 4, messages: 6, refused: { flood: 2 } });
  });

  test('loses only the message on which the parser throws', () => {
    const { feed, inlet } = start();
    inlet.message('!');
    inlet.message('+');
    expect(feed.health()).toMatchObject({ positions: 1, refused: { unreadable: 1 } });
  });

  test('delivers nothing once stopped', async () => {
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

test('delivers held fixes when they are due, without another message', () => {
  const time = makeTestSurroundings();
  const delivered: UpstreamInstant[] = [];
  const feed = runFeed({
    parser: {
      ...parser,
      due: (now) => ({ fixes: now === addMs(START, 2000) ? [FIX] : [], refused: [], feedClockMs: undefined }),
    },
    connect: () => ({ close: async () => {} }),
    words: AIRCRAFT_JSON_WORDS,
    deliver: (_, receivedAt) => delivered.push(receivedAt),
    surroundings: time.surroundings,
  });
  time.move(10_000);
  expect(delivered).toEqual([addMs(START, 2000)]);
  expect(feed.health()).toMatchObject({ positions: 1, positionsPerMinute: 1, messages: 0 });
  void feed.stop();
  expect(time.waiting()).toBe(0);
});

test('counts fields without a usable value, with a bounded number of names', () => {
  const { feed, inlet } = start();
  for (let index = 0; index < 100; index += 1) inlet.message(`field ${index}`);
  const { unknown, unusable } = feed.health().fields;
  expect([unknown.size, unknown.get('field 0'), unknown.get('other')]).toEqual([32, 2, 138]);
  expect(unusable).toEqual(new Map([['gs', 100]]));
});
