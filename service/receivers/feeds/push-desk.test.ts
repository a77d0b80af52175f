import { expect, test } from 'vitest';
import { makeKeyOf } from '../fix.ts';
import { makeFeedSet } from './feed-set.ts';
import { makePushDesk } from './push-desk.ts';
import { readFeedsFile } from './read-feeds-file.ts';
import { makeTestSurroundings, START } from './test-surroundings.fixture.ts';

const DIGEST = 'a1'.repeat(32);
const read = readFeedsFile(JSON.stringify({ feeds: [{ id: 'hill', url: 'push://hill', key_sha256: DIGEST }] }));
if (!read.ok) throw new Error(read.problems.join());
const { feeds } = read;

const keyOf = makeKeyOf(new Uint8Array(32));

test('is connected while it sends', async () => {
  const time = makeTestSurroundings();
  const pushDesk = makePushDesk();
  const set = makeFeedSet({ keyOf, deliver: () => {}, surroundings: time.surroundings, home: { pushDesk } });
  const stateOf = () => set.statuses()[0]!.health.state;
  set.run(feeds);
  expect(stateOf()).toBe('connecting');
  const send = () => pushDesk.find(DIGEST)?.take(new TextEncoder().encode('[]'), START);
  expect(send()).toMatchObject({ outcome: 'read' });
  time.move(119_000);
  send();
  time.move(119_000);
  expect(stateOf()).toBe('connected');
  time.move(1000);
  expect(set.statuses()[0]!.health).toMatchObject({ state: 'lost', problem: 'it sent nothing for 120 s' });
  send();
  expect(stateOf()).toBe('connected');
  await set.stop();
  expect(pushDesk.find(DIGEST)).toBeUndefined();
  expect(time.waiting()).toBe(0);
});

test('reports a missing listener', () => {
  const { surroundings } = makeTestSurroundings();
  const set = makeFeedSet({ keyOf, deliver: () => {}, surroundings });
  set.run(feeds);
  expect(set.statuses()[0]!.health.problem).toBe('nothing listens for it: start the service with --push-port');
});
