import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addMs, epochMs } from '#lib/time/instant.ts';
import { MemoryPast } from '../past/memory-past.ts';
import type { Observation } from '../sources/observation.ts';
import { makeTestSurroundings, START } from './feeds/test-surroundings.fixture.ts';
import { feedOf, fixOf, keyOf, parsedOf, WORLD } from './fusion/fusion.fixture.ts';
import { LatestObservations } from './latest-observations.ts';
import { makeReceivedSource, type ReceivedSource } from './received-source.ts';
import { makeSharedSource, type SharedPast } from './shared-source.ts';

const FEED = feedOf('roof');

/** Services of one process over one past in memory: what they share is there at once. */
function services() {
  const time = makeTestSurroundings();
  const { now } = time.surroundings;
  const past = new MemoryPast();
  let recorder: { readonly name: string; readonly onLost: () => void } | undefined;
  const readers = new Map<string, LatestObservations>();
  const said: string[] = [];

  function service(name: string, openReceivers?: () => Promise<void>) {
    const latest = new LatestObservations();
    readers.set(name, latest);
    let receivers: ReceivedSource | undefined;
    const isRecording = () => recorder?.name === name;
    const own = {
      append(observations: readonly Observation[]) {
        if (!isRecording()) return;
        past.append(observations);
        for (const [reader, each] of readers) if (reader !== name) each.add(observations, now());
      },
      history: past.history.bind(past),
      historyTimes: past.historyTimes.bind(past),
      keptSince: () => past.keptSince(),
    };
    const shared: SharedPast = {
      ...own,
      get isCurrent() {
        return recorder !== undefined;
      },
      get isRecording() {
        return isRecording();
      },
      async record(onLost) {
        recorder ??= { name, onLost };
        return isRecording();
      },
      async stopRecording() {
        if (isRecording()) recorder = undefined;
      },
    };
    const source = makeSharedSource({
      past: shared,
      latest,
      listen:
        openReceivers &&
        (async () => {
          await openReceivers();
          receivers = makeReceivedSource({ past: own, surroundings: time.surroundings });
          const opened = receivers;
          return {
            source: opened,
            close: async () => {
              opened.stop();
              receivers = undefined;
            },
          };
        }),
      surroundings: time.surroundings,
      log: (entry) => said.push(`${name}: ${entry}`),
    });
    return {
      source,
      isListening: () => receivers !== undefined,
      hear: (track: number, lon: number) =>
        receivers?.deliver(
          FEED,
          parsedOf([fixOf({ trackKey: keyOf(track), feedTimeMs: epochMs(now()), lon, lat: 47 })]),
          now(),
        ),
      live: () => source.live('adsb', WORLD, now()).map(({ sourceId, lon }) => [Number.parseInt(sourceId, 16), lon]),
    };
  }

  return {
    ...time,
    said,
    service,
    /** It ends without a word. */
    kill() {
      recorder = undefined;
    },
    takeFrom(name: string) {
      const lost = recorder;
      recorder = { name, onLost: () => undefined };
      lost?.onLost();
    },
    /** Lets what was begun go on, which waits for nothing but turns. */
    async turn(ms: number) {
      time.move(ms);
      for (let count = 0; count < 5; count += 1) await setImmediate();
    },
  };
}

const ready = () => Promise.resolve();

test('one listens; another serves the same, and after it goes on with every track, each of them once', async () => {
  const { service, turn, kill } = services();
  const [one, other] = [service('one', ready), service('other', ready)];
  await one.source.start();
  await other.source.start();
  expect([one.isListening(), other.isListening()]).toEqual([true, false]);
  one.hear(1, 8);
  one.hear(2, 9);
  await turn(200);
  expect(one.live()).toEqual([
    [1, 8],
    [2, 9],
  ]);
  expect(other.live()).toEqual(one.live());
  kill();
  expect(() => other.live()).toThrow('try again later');
  await turn(1000);
  expect(other.isListening()).toBe(true);
  expect(other.live()).toEqual([
    [1, 8],
    [2, 9],
  ]);
  await turn(5000);
  // One track is heard again, far away: where it was is not told any more.
  other.hear(1, 8.01);
  await turn(200);
  expect(other.live()).toEqual([
    [1, 8.01],
    [2, 9],
  ]);
  expect(other.source.live('adsb', { ...WORLD, east: 8.005 }, addMs(START, 6400))).toEqual([]);
  await turn(54_000);
  expect(other.live()).toEqual([[1, 8.01]]);
  await other.source.close();
});

test('one that another has taken over from closes its receivers, and serves what that one records', async () => {
  const { service, turn, takeFrom, said } = services();
  const [one, other] = [service('one', ready), service('other', ready)];
  await one.source.start();
  await other.source.start();
  one.hear(1, 8);
  await turn(200);
  takeFrom('other');
  await turn(1000);
  expect([one.isListening(), other.isListening()]).toEqual([false, true]);
  other.hear(1, 8.001);
  await turn(200);
  expect(one.live()).toEqual([[1, 8.001]]);
  expect(said).toEqual([
    'other: Another service records: the receivers of this one are not listened to until it ends.',
    'one: Another service records now: the receivers of this one are not listened to until it ends.',
  ]);
});

test('without receivers it never records, and nothing is live while nobody does', async () => {
  const { service, turn, kill, waiting } = services();
  const [one, reader] = [service('one', ready), service('reader')];
  await reader.source.start();
  expect(waiting()).toBe(0);
  expect(() => reader.live()).toThrow('try again later');
  await one.source.start();
  one.hear(1, 8);
  await turn(200);
  expect(reader.live()).toEqual([[1, 8]]);
  kill();
  expect(() => reader.live()).toThrow('try again later');
});

test('one whose receivers can’t be listened to lets another record', async () => {
  const { service } = services();
  const one = service('one', () => Promise.reject(new Error('no such feed')));
  await expect(one.source.start()).rejects.toThrow('no such feed');
  const other = service('other', ready);
  await other.source.start();
  expect(other.isListening()).toBe(true);
});
