import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { epochMs } from '#lib/time/instant.ts';
import { MemoryPast } from '../past/memory-past.ts';
import type { Observation } from '../sources/observation.ts';
import { makeTestSurroundings } from './feeds/test-surroundings.fixture.ts';
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

  function service(name: string, begin?: () => Promise<void>) {
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
      fuse:
        begin &&
        (async () => {
          await begin();
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
      isFusing: () => receivers !== undefined,
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

test('one records; another serves the same, and goes on when that one is gone', async () => {
  const { service, turn, kill } = services();
  const [one, other] = [service('one', ready), service('other', ready)];
  await one.source.start();
  await other.source.start();
  expect([one.isFusing(), other.isFusing()]).toEqual([true, false]);
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
  expect(other.isFusing()).toBe(true);
  other.hear(1, 8.01);
  await turn(200);
  expect(other.live()).toEqual([[1, 8.01]]);
  await other.source.close();
  expect(other.isFusing()).toBe(false);
});

test('one that another has taken over from fuses no more, and serves what that one records', async () => {
  const { service, turn, takeFrom, said } = services();
  const [one, other] = [service('one', ready), service('other', ready)];
  await one.source.start();
  await other.source.start();
  one.hear(1, 8);
  await turn(200);
  takeFrom('other');
  await turn(1000);
  expect([one.isFusing(), other.isFusing()]).toEqual([false, true]);
  other.hear(1, 8.001);
  await turn(200);
  expect(one.live()).toEqual([[1, 8.001]]);
  expect(said).toEqual([
    'one: This service records.',
    'other: Another service records: it is sent what the receivers of this one hear.',
    'one: Another service records now: it is sent what the receivers of this one hear.',
    'other: This service records.',
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

test('one that can’t begin to fuse lets another record', async () => {
  const { service } = services();
  const one = service('one', () => Promise.reject(new Error('not readable')));
  await expect(one.source.start()).rejects.toThrow('not readable');
  const other = service('other', ready);
  await other.source.start();
  expect(other.isFusing()).toBe(true);
});
