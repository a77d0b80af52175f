import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Layer } from '#lib/contract/operation.ts';
import { addMs, epochMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import type { Feed, Inlet } from '../feeds/feed.ts';
import { FEED_KINDS } from '../feeds/feed-kinds.ts';
import { readReceivers } from '../feeds/read-receivers.ts';
import { runFeed } from '../feeds/run-feed.ts';
import { makeTestSurroundings, START } from '../feeds/test-surroundings.fixture.ts';
import { makeKeyOf } from '../fix.ts';
import { dronescoutPayload } from '../parsers/dronescout-payload.fixture.ts';
import { readsbRow } from '../parsers/readsb-row.fixture.ts';
import { sbsLine } from '../parsers/sbs-line.fixture.ts';
import { makeReception, Reach } from './reception.ts';
import { decodeReceptionDay, ReceptionRecord } from './reception-record.ts';

const BOX = { west: 5, south: 45, east: 11, north: 49 };
const facts = { writtenAgoMs: undefined, mayBeOld: undefined, server: 'here' };

/** Feeds of these addresses whose other end is the test, on a clock that only the test moves. */
function receiving(...urls: readonly string[]) {
  return receivingInto(ReceptionRecord.inMemory(), ...urls);
}

let oldestRecordedAt: UpstreamInstant | undefined;
afterEach(() => {
  oldestRecordedAt = undefined;
});

function receivingInto(record: ReceptionRecord, ...urls: readonly string[]) {
  const time = makeTestSurroundings();
  const { surroundings, move } = time;
  const read = readReceivers(urls.join(','));
  if (!read.ok) throw new Error(read.problems.join());
  const inlets: Inlet[] = [];
  const renewed: number[] = [];
  const feeds = read.feeds.map((settings, index) => {
    const kind = FEED_KINDS[new URL(settings.url).protocol.slice(0, -1)]!;
    const feed: Feed = runFeed({
      parser: kind.open(settings, makeKeyOf(randomBytes(32))).parser,
      connect(inlet) {
        inlets.push(inlet);
        return { renew: () => void renewed.push(index), close: async () => {} };
      },
      words: kind.words,
      signs: kind.signs,
      deliver: () => {},
      surroundings,
    });
    return { settings, kind, feed };
  });
  const reception = makeReception({
    feeds: () =>
      feeds.map(({ settings: { id }, kind: { layers }, feed }) => ({ id, layers, renew: feed.renew, ...feed.life() })),
    reach: new Reach(),
    record,
    oldestRecordedAt: () => oldestRecordedAt,
    surroundings,
  });
  const announced: Layer[] = [];
  reception.onChange((layer) => announced.push(layer));
  const state = (layer: Layer = 'adsb') => reception.reception(layer, BOX).state;
  let polls = 0;
  const poll = (index: number, answer: (nowMs: number) => string) => {
    polls += 1;
    inlets[index]!.connected();
    void inlets[index]!.answer(Buffer.from(answer(epochMs(time.wallNow()))), surroundings.now(), facts);
  };
  return {
    ...time,
    inlets,
    renewed,
    announced,
    reception,
    state,
    poll,
    /** An aircraft moves. */
    pollAircraft: (index: number) =>
      poll(index, (nowMs) =>
        JSON.stringify({
          now: nowMs / 1000,
          messages: polls,
          aircraft: [readsbRow({ lat: 47, lon: 8 + polls / 1e4 })],
        }),
      ),
    async eachSecond(seconds: number, act: (second: number) => void): Promise<void> {
      for (let second = 0; second < seconds; second += 1) {
        act(second);
        // Polled answers are delivered in a task.
        await Promise.resolve();
        move(SECOND_MS);
      }
    },
    pastStates: (from: UpstreamInstant, to: UpstreamInstant, layer: Layer = 'adsb') =>
      reception
        .pastReception(layer, BOX, { start: from, end: to })
        .map(
          ({ from, to, state }) => `${formatInstant(from).slice(11, 19)} ${formatInstant(to).slice(11, 19)} ${state}`,
        ),
  };
}

const ROOF = 'http://roof.test/data/aircraft.json';
const HILL = 'http://hill.test/data/aircraft.json';

/** @returns how many seconds passed until the state was reached */
async function secondsUntil(state: string, { state: now, eachSecond }: ReturnType<typeof receiving>, act = () => {}) {
  for (let seconds = 0; seconds < 600; seconds += 1) {
    if (now() === state) return seconds;
    await eachSecond(1, act);
  }
  throw new Error(`never ${state}`);
}

describe('a loss', () => {
  test.each([
    ['cut', 5, (machine: ReturnType<typeof receiving>) => machine.inlets[0]!.lost('cut')],
    ['silent', 11, () => {}],
    ['that only repeats its answer', 11, (machine: ReturnType<typeof receiving>) => machine.inlets[0]!.repeated()],
    ['unreadable', 11, (machine: ReturnType<typeof receiving>) => machine.poll(0, () => `<html>${Math.random()}`)],
  ])(
    'of a polled receiver that is %s is known and announced within %i s, and its return at once',
    async (_, seconds, die) => {
      const machine = receiving(ROOF);
      await machine.eachSecond(20, () => machine.pollAircraft(0));
      expect(machine.reception.reception('adsb', BOX)).toEqual({
        state: 'ok',
        since: START,
        receivers: 1,
        receiving: 1,
      });
      expect(machine.reception.reception('rid', BOX)).toMatchObject({ state: 'none', since: undefined, receivers: 0 });
      const diedAt = machine.surroundings.now();
      machine.announced.length = 0;
      expect(await secondsUntil('lost', machine, () => die(machine))).toBeLessThanOrEqual(seconds);
      const { since } = machine.reception.reception('adsb', BOX);
      expect(since).toEqual(addMs(diedAt, -SECOND_MS));
      expect(machine.announced).toEqual(['adsb']);
      machine.pollAircraft(0);
      await Promise.resolve();
      expect(machine.reception.reception('adsb', BOX)).toMatchObject({
        state: 'ok',
        since: machine.surroundings.now(),
      });
      machine.move(SECOND_MS);
      expect(machine.announced).toEqual(['adsb', 'adsb']);
    },
  );

  test('of one of two has the time of the first, of both that of the last', async () => {
    const machine = receiving(ROOF, HILL);
    await machine.eachSecond(20, () => [0, 1].forEach(machine.pollAircraft));
    await machine.eachSecond(20, () => machine.pollAircraft(1));
    const partly = machine.reception.reception('adsb', BOX);
    expect(partly).toEqual({ state: 'partly', since: addMs(START, 19_000), receivers: 2, receiving: 1 });
    await machine.eachSecond(20, () => {});
    expect(machine.reception.reception('adsb', BOX)).toEqual({
      state: 'lost',
      since: addMs(START, 39_000),
      receivers: 2,
      receiving: 0,
    });
    await machine.eachSecond(5, () => machine.pollAircraft(1));
    await machine.eachSecond(5, () => [0, 1].forEach(machine.pollAircraft));
    expect(machine.reception.reception('adsb', BOX)).toMatchObject({ state: 'ok', since: addMs(START, 65_000) });
    expect(machine.pastStates(START, addMs(START, 70_000))).toEqual([
      '12:00:00 12:00:19 ok',
      '12:00:19 12:00:39 partly',
      '12:00:39 12:01:00 lost',
      '12:01:00 12:01:05 partly',
      '12:01:05 12:01:10 ok',
    ]);
    expect(machine.pastStates(START, addMs(START, 70_000), 'rid')).toEqual(['12:00:00 12:01:10 none']);
  });

  test('ends a silent connection once, since its host may have vanished', async () => {
    const machine = receiving('sbs://roof.test');
    machine.inlets[0]!.connected();
    await machine.eachSecond(20, () => machine.inlets[0]!.message(sbsLine({ lat: 47, lon: 8 })));
    await machine.eachSecond(60, () => {});
    expect(machine.state()).toBe('lost');
    expect(machine.renewed).toEqual([0]);
  });

  test('that begins and ends between two checks is in the past, though nothing asked meanwhile', async () => {
    const machine = receiving(ROOF);
    machine.move(500);
    await machine.eachSecond(20, () => machine.pollAircraft(0));
    // Ten seconds after the last message, between the checks of each second.
    machine.move(9400);
    machine.pollAircraft(0);
    await Promise.resolve();
    machine.move(5000);
    expect(machine.announced).toEqual([]);
    expect(machine.pastStates(START, addMs(START, 34_900))).toEqual([
      '12:00:00 12:00:19 ok',
      '12:00:19 12:00:29 lost',
      '12:00:29 12:00:34 ok',
    ]);
  });

  test('every few seconds and for less than four is none', async () => {
    const machine = receiving(ROOF);
    await machine.eachSecond(120, (second) => {
      if (second % 6 < 3) machine.pollAircraft(0);
      else machine.inlets[0]!.lost('cut');
      expect(machine.state()).toBe('ok');
    });
    expect(machine.announced).toEqual([]);
  });
});

describe('no loss', () => {
  test('is an empty sky, a restart of the counters, or a bad answer between', async () => {
    const machine = receiving(ROOF);
    await machine.eachSecond(20, () => machine.pollAircraft(0));
    await machine.eachSecond(300, (second) => {
      const empty = (nowMs: number) => JSON.stringify({ now: nowMs / 1000, messages: second % 50, aircraft: [] });
      if (second % 10 === 5) machine.poll(0, () => '{"now":');
      else machine.poll(0, empty);
      expect(machine.state()).toBe('ok');
    });
  });

  test('is a clock of the receiver that is set back', async () => {
    const machine = receiving(ROOF);
    await machine.eachSecond(20, () => machine.pollAircraft(0));
    await machine.eachSecond(60, () => {
      machine.poll(0, (nowMs) => JSON.stringify({ now: (nowMs - HOUR_MS) / 1000, messages: 1, aircraft: [] }));
      expect(machine.state()).toBe('ok');
    });
  });

  test('is a connection that is kept alive with empty lines', async () => {
    const machine = receiving('sbs://roof.test');
    machine.inlets[0]!.connected();
    await machine.eachSecond(300, (second) => {
      if (second < 5) machine.inlets[0]!.message(sbsLine({ lat: 47, lon: 8 }));
      else if (second % 60 === 0) machine.inlets[0]!.keptAlive();
      expect(machine.state()).toBe('ok');
    });
  });

  test('is a sky without drones over a sensor that reports its state, a kit that answers, or a sensor not heard yet', async () => {
    const sensor = receiving('dronescout+mqtt://roof.test');
    sensor.inlets[0]!.connected();
    const location = { lat: 47, lon: 8 };
    await sensor.eachSecond(1800, (second) => {
      if (second % 60 === 0) sensor.inlets[0]!.message('{"protocol":1.0,"status":{"timestamp":1}}');
      if (second > 200 && second < 400) sensor.inlets[0]!.message(dronescoutPayload({ location }));
      expect(sensor.state('rid')).toBe('ok');
    });
    expect(await secondsUntil('lost', { ...sensor, state: () => sensor.state('rid') })).toBeLessThanOrEqual(63);

    const kit = receiving('dragonsync+http://kit.test');
    await kit.eachSecond(600, (second) => {
      if (second === 0) kit.poll(0, () => '{"drones":[]}');
      else kit.inlets[0]!.repeated();
      expect(kit.state('rid')).toBe('ok');
    });
    expect(await secondsUntil('lost', { ...kit, state: () => kit.state('rid') })).toBeLessThanOrEqual(11);

    const idle = receiving('dronescout+mqtt://roof.test');
    idle.inlets[0]!.connected();
    idle.move(3 * HOUR_MS);
    expect(idle.state('rid')).toBe('ok');
  });

  test('is known of a connection before two minutes without a line, or of an answer that has not moved in 15 s', async () => {
    const connected = receiving('sbs://roof.test');
    connected.inlets[0]!.connected();
    connected.move(2 * MINUTE_MS - SECOND_MS);
    expect(connected.state()).toBe('ok');
    connected.move(2 * SECOND_MS);
    expect(connected.reception.reception('adsb', BOX)).toMatchObject({ state: 'lost', since: START });
    const stopped = receiving(ROOF);
    await stopped.eachSecond(15, (second) => {
      if (second === 0) stopped.pollAircraft(0);
      else stopped.inlets[0]!.repeated();
      expect(stopped.state()).toBe('ok');
    });
    await stopped.eachSecond(2, () => stopped.inlets[0]!.repeated());
    expect(stopped.reception.reception('adsb', BOX)).toMatchObject({ state: 'lost', since: START });
  });
});

test('a killed service has stored its reception up to a minute ago, and a change at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reception-kill-'));
  try {
    const record = await ReceptionRecord.open(folder, (entry) => {
      throw new Error(entry);
    });
    const machine = receivingInto(record, ROOF);
    const stored = async () => {
      const day = decodeReceptionDay(await readFile(join(folder, '2026-11-23.json'), 'utf8'));
      const last = [...day.values()].flatMap(({ runs }) => runs).at(-1);
      return last && { ...last, agoMs: epochMs(machine.surroundings.now()) - last.toMs };
    };
    await machine.eachSecond(5 * 60 + 59, () => machine.pollAircraft(0));
    await eventually(async () => expect((await stored())?.agoMs).toBeLessThanOrEqual(MINUTE_MS));
    expect(await secondsUntil('lost', machine)).toBeLessThanOrEqual(11);
    machine.move(SECOND_MS);
    await eventually(async () => expect((await stored())?.isReceiving).toBe(false));
    await machine.reception.close();
    expect((await stored())?.agoMs).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('before the first start there was no receiver, unless positions of that time are recorded', async () => {
  const machine = receiving(ROOF);
  await machine.eachSecond(20, () => machine.pollAircraft(0));
  const hour = [addMs(START, -HOUR_MS), addMs(START, 20_000)] as const;
  expect(machine.pastStates(...hour)).toEqual(['11:00:00 12:00:00 none', '12:00:00 12:00:20 ok']);
  expect(machine.pastStates(...hour, 'rid')).toEqual(['11:00:00 12:00:20 none']);
  expect(machine.pastStates(hour[0], addMs(START, -MINUTE_MS))).toEqual(['11:00:00 11:59:00 none']);
  oldestRecordedAt = addMs(START, -HOUR_MS / 2);
  expect(machine.pastStates(...hour)).toEqual(['11:00:00 11:30:00 none', '12:00:00 12:00:20 ok']);
});

describe('a clock of this machine', () => {
  test.each([HOUR_MS, -HOUR_MS, 40 * 24 * HOUR_MS, -61 * SECOND_MS])(
    'that is set by %i ms neither makes nor hides a loss',
    async (byMs) => {
      const machine = receiving(ROOF, HILL);
      const both = () => {
        [0, 1].forEach(machine.pollAircraft);
        expect(machine.state()).toBe('ok');
      };
      await machine.eachSecond(30, both);
      machine.setWall(byMs);
      const setAt = machine.wallNow();
      await machine.eachSecond(30, both);
      expect(machine.announced).toEqual([]);
      expect(machine.pastStates(setAt, addMs(setAt, 30_000)).map((text) => text.slice(-2))).toEqual(['ok']);
      await machine.eachSecond(20, () => machine.pollAircraft(1));
      const { since } = machine.reception.reception('adsb', BOX);
      machine.setWall(byMs);
      const after = machine.reception.reception('adsb', BOX);
      expect(after).toMatchObject({ state: 'partly', receiving: 1 });
      expect(epochMs(after.since!)).toBe(epochMs(since!) + Math.min(0, byMs));
      await machine.eachSecond(20, () => {});
      expect(machine.state()).toBe('lost');
    },
  );
});
