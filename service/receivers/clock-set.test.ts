import { describe, expect, test } from 'vitest';
import { addMs, epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { MemoryPast } from '../past/memory-past.ts';
import { makeTestSurroundings, START } from './feeds/test-surroundings.fixture.ts';
import { makeKeyOf } from './fix.ts';
import { feedOf } from './fusion/fusion.fixture.ts';
import { makeAircraftJson } from './parsers/aircraft-json.ts';
import { makeReceivedSource } from './received-source.ts';

const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const keyOf = makeKeyOf(new Uint8Array(32));

function polling(aheadMs: number) {
  const time = makeTestSurroundings(addMs(START, aheadMs));
  const { surroundings, move, setWall, wallNow } = time;
  const past = new MemoryPast();
  const source = makeReceivedSource({ past, surroundings });
  const parsers = {
    elsewhere: makeAircraftJson({ feed: 'elsewhere', keyOf }),
    here: makeAircraftJson({ feed: 'here', keyOf }),
  };
  let rightMs = epochMs(START);
  let polls = 0;
  let silent: string | undefined;

  const answer = (id: keyof typeof parsers, hex: string, nowMs: number) => {
    if (silent === id) return;
    const row = {
      hex,
      type: 'adsb_icao',
      lat: 47,
      lon: 8 + polls * 0.001,
      gs: 240,
      track: 90,
      seen_pos: 0.1,
      seen: 0.1,
    };
    const body = JSON.stringify({ now: nowMs / 1000, messages: polls, aircraft: [row] });
    const now = surroundings.now();
    source.deliver(feedOf(id), parsers[id].parse(body, now), now);
  };
  return {
    ...time,
    source,
    poll(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        polls += 1;
        answer('elsewhere', '3f6201', rightMs);
        answer('here', '3f6202', epochMs(wallNow()));
        move(SECOND_MS);
        rightMs += SECOND_MS;
      }
    },
    silence(id: keyof typeof parsers) {
      silent = id;
    },
    set: setWall,
    live: () => source.live('adsb', WORLD, wallNow()).map(({ observedAt }) => epochMs(wallNow()) - epochMs(observedAt)),
    async recordedSince(from: UpstreamInstant) {
      const { observations } = await past.history(
        'adsb',
        WORLD,
        { start: from, end: addMs(from, 10 * MINUTE_MS) },
        1000,
      );
      return observations.length;
    },
  };
}

const SIZES = [61 * SECOND_MS, HOUR_MS, 25 * HOUR_MS, 40 * DAY_MS];

describe('a machine whose clock is set', () => {
  test.each(SIZES)(
    'back by %i ms, to the right time, serves what every receiver hears, dated by the right clock',
    (ms) => {
      const machine = polling(ms);
      machine.poll(40);
      expect(machine.live()).toHaveLength(2);
      machine.set(-ms);
      expect(machine.live()).toHaveLength(2);
      for (const second of [1, 5, 30, 65]) {
        machine.poll(second);
        const ages = machine.live();
        expect(ages).toHaveLength(2);
        for (const age of ages) expect(age).toBeLessThan(3 * SECOND_MS);
      }
    },
  );

  test.each(SIZES)('back by %i ms, to a wrong time, continues', (ms) => {
    const machine = polling(0);
    machine.poll(40);
    machine.set(-ms);
    machine.poll(3);
    expect(machine.live()).toHaveLength(2);
    machine.poll(60);
    expect(machine.live()).toHaveLength(2);
  });

  test.each(SIZES)(
    'forward by %i ms calls nothing fresh that was received before, and what comes then at once',
    (ms) => {
      for (const startsBehindMs of [0, -ms]) {
        const machine = polling(startsBehindMs);
        machine.poll(40);
        expect(machine.live()).toHaveLength(2);
        machine.set(ms);
        expect(machine.live()).toEqual([]);
        machine.poll(3);
        expect(machine.live()).toHaveLength(2);
        machine.poll(60);
        for (const age of machine.live()) expect(age).toBeLessThan(3 * SECOND_MS);
      }
    },
  );

  test('forward by less than a time to live makes observations older by as much', () => {
    const machine = polling(0);
    machine.poll(40);
    const before = machine.live();
    machine.set(20 * SECOND_MS);
    expect(machine.live()).toEqual(before.map((age) => age + 20 * SECOND_MS));
  });

  test('back keeps the age of observations, which expire in time', () => {
    const machine = polling(HOUR_MS);
    machine.poll(40);
    machine.silence('here');
    machine.poll(20);
    machine.set(-HOUR_MS);
    const ages = machine.live().sort((a, b) => a - b);
    expect(ages).toHaveLength(2);
    expect(ages[1]).toBeGreaterThan(20 * SECOND_MS);
    expect(ages[1]).toBeLessThan(22 * SECOND_MS);
    machine.poll(60);
    expect(machine.live()).toHaveLength(1);
  });

  test('many times loses only a moment each time', () => {
    const machine = polling(0);
    for (const ms of [HOUR_MS, -2 * HOUR_MS, 40 * DAY_MS, -40 * DAY_MS, MINUTE_MS, HOUR_MS - MINUTE_MS]) {
      machine.poll(20);
      expect(machine.live()).toHaveLength(2);
      machine.set(ms);
    }
    machine.poll(3);
    expect(machine.live()).toHaveLength(2);
  });

  test('records later observations by the clock’s new setting', async () => {
    const machine = polling(HOUR_MS);
    machine.poll(20);
    machine.set(-HOUR_MS);
    const setAt = machine.wallNow();
    machine.poll(20);
    expect(await machine.recordedSince(setAt)).toBeGreaterThan(34);
  });
});
