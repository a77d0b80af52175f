import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FeedSettings } from '../feed.ts';
import { START } from '../test-surroundings.fixture.ts';
import { LargeAnswers } from './large-answers.ts';

const settings: FeedSettings = {
  id: 'roof',
  url: 'http://pi.local/tar1090',
  aggregates: false,
  simulated: false,
  policy: {},
  sbsTimes: 'arrival',
  username: undefined,
  passwordFile: undefined,
  caFile: undefined,
  keyDigests: [],
};

let large: LargeAnswers;
beforeEach(() => {
  large = new LargeAnswers(new Uint8Array(32));
});
afterEach(() => large.close());

const answer = (now: number, rows: string) => Buffer.from(`{"now":${now},"aircraft":[${rows}]}`);
const row = '{"hex":"3f0c01","type":"adsb_icao","lat":47,"lon":8,"seen_pos":0.1}';

test('parses answers in order, and counts refused rows', async () => {
  const parse = large.of(settings);
  const [first, second] = await Promise.all([
    parse(answer(1_763_900_000, `${row},${'{},'.repeat(20_000)}${row}`), START),
    parse(answer(1_763_900_000, row), START),
  ]);
  expect(first.fixes.length).toBeGreaterThan(0);
  expect(Object.values(first.refused).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(19_000);
  expect(second).toMatchObject({ fixes: [], refused: {} });
});

test('does not block other work while nonsense is parsed', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const read = await large.of(settings)(Buffer.alloc(4 * 1024 * 1024, '['), START);
  clearInterval(timer);
  expect(read).toEqual({ fixes: [], feedClockMs: undefined, refused: { unreadable: 1 } });
  expect(turns).toBeGreaterThan(3);
});

test('abandons the current answer once closed', async () => {
  const parsing = large.of(settings)(Buffer.alloc(8 * 1024 * 1024, '['), START);
  await large.close();
  expect(await parsing).toMatchObject({ fixes: [], refused: { unreadable: 1 } });
});
