import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { destination, distanceM } from '#lib/geo/great-circle.ts';
import { addMs, epochMs, formatInstant, instantOf } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { listen } from '../http/listen.ts';
import { MemoryPast } from '../past/memory-past.ts';
import { type RunningService, startService } from '../server/start-service.ts';
import { makeFeedSet } from './feeds/feed-set.ts';
import { readReceivers } from './feeds/read-receivers.ts';
import { makeTestSurroundings, START } from './feeds/test-surroundings.fixture.ts';
import { makeKeyOf } from './fix.ts';
import { makeReceivedSource, type ReceivedSource } from './received-source.ts';

interface Station {
  readonly aircraftCount: number;
  readonly clockErrorMs: number;
  readonly wrongM: number;
}

const AIRCRAFT = 12;
const STATIONS: readonly Station[] = [
  { aircraftCount: 12, clockErrorMs: 0, wrongM: 0 },
  { aircraftCount: 8, clockErrorMs: 3000, wrongM: 0 },
  { aircraftCount: 4, clockErrorMs: 0, wrongM: 20_000 },
];
const SPEED_MPS = 200;

/** Each flies east on its own parallel. */
function placeAt(aircraft: number, ms: number) {
  return destination({ lon: 8, lat: 46.5 + aircraft / 10 }, 90, (SPEED_MPS * ms) / 1000);
}

const closing: (() => unknown)[] = [];
let service: RunningService;
let source: ReceivedSource;
let time: ReturnType<typeof makeTestSurroundings>;
let ids: readonly string[];
let idleTimers = 0;

async function live(seconds: number): Promise<void> {
  for (let step = 0; step < 10 * seconds; step += 1) {
    time.move(100);
    await eventually(() => expect(time.waiting()).toBe(idleTimers), 1);
  }
}

/** A file that is written every second, shortly before it is read. */
async function startStation({ aircraftCount, clockErrorMs, wrongM }: Station, index: number): Promise<string> {
  const server: Server = createServer((request, response) => {
    if (request.url !== '/tar1090/data/aircraft.json') return void response.writeHead(404).end();
    const writtenMs = epochMs(time.surroundings.now()) - epochMs(START) - 90 * (index + 1);
    const aircraft = Array.from({ length: aircraftCount }, (_, each) => {
      const seenMs = 100 + 10 * each + 40 * index;
      const place = placeAt(each, writtenMs - seenMs);
      const { lon, lat } = wrongM === 0 ? place : destination(place, 0, wrongM);
      const hex = (0x3c_6500 + each).toString(16);
      return {
        hex,
        type: 'adsb_icao',
        lat,
        lon,
        seen_pos: seenMs / 1000,
        gs: SPEED_MPS / (1852 / 3600),
        track: 90,
        rc: 186,
      };
    });
    const now = (epochMs(START) + writtenMs + clockErrorMs) / 1000;
    response.end(JSON.stringify({ now, messages: 1, aircraft }));
  });
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return `${await listen(server, '127.0.0.1', 0)}/tar1090`;
}

beforeEach(async () => {
  time = makeTestSurroundings();
  const urls = await Promise.all(STATIONS.map(startStation));
  const read = readReceivers(urls.join(','));
  if (!read.ok) throw new Error(read.problems.join(', '));
  ids = read.feeds.map(({ id }) => id);
  source = makeReceivedSource({ past: new MemoryPast(), surroundings: time.surroundings });
  const feeds = makeFeedSet({
    keyOf: makeKeyOf(randomBytes(32)),
    surroundings: time.surroundings,
    deliver: source.deliver,
  });
  idleTimers = time.waiting() + STATIONS.length;
  feeds.run(read.feeds);
  await eventually(() => expect(time.waiting()).toBe(idleTimers), 1);
  service = await startService({ source, now: time.surroundings.now });
  closing.push(
    () => source.stop(),
    () => feeds.stop(),
    () => service.close(),
  );
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function ask(target: string): Promise<WirePosition[]> {
  const answer = await fetch(`${service.baseUrl}/${target}`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: WirePosition[] }).data;
}

const aircraftOf = ({ latitude }: WirePosition) => Math.round(Math.abs(latitude - 46.5) * 10);

function errorM(position: WirePosition): number {
  const ms = epochMs(instantOf(position.observed_at)) - epochMs(START);
  return distanceM({ lon: position.longitude, lat: position.latitude }, placeAt(aircraftOf(position), ms));
}

describe('two stations with clocks three seconds apart, and one that is 20 km wrong', () => {
  test('make one mark per aircraft with the number of stations, and show disagreements', async () => {
    await live(15);
    const positions = await ask('live/adsb?bbox=5,44,12,50');
    expect(positions.map(aircraftOf).sort((a, b) => a - b)).toEqual(
      Array.from({ length: AIRCRAFT }, (_, index) => index),
    );
    expect(new Set(positions.map(({ public_track_id }) => public_track_id)).size).toBe(AIRCRAFT);
    for (const position of positions) {
      const aircraft = aircraftOf(position);
      expect(errorM(position)).toBeLessThan(0.3 * SPEED_MPS);
      expect(position.simulated).toBe(false);
      expect(position.receiver_count).toBe(aircraft < 8 ? 2 : 1);
      expect(position.confidence).toBe(aircraft < 4 ? 'inconsistent' : aircraft < 8 ? 'multi_station' : 'single');
    }
    const [, ahead, wrong] = ids.map((id) => source.feedState(id)!);
    expect(ahead).toMatchObject({ timeBasis: 'corrected', isClockDoubtful: false });
    expect(Math.abs(ahead!.clockErrorMs! - 3000)).toBeLessThan(300);
    expect(wrong!.counts.observed).toBe(0);
    expect(wrong!.counts.contradicted).toBeGreaterThan(40);
  });

  test('leave a past without doubles or wrong positions, equal at each reading', async () => {
    await live(50);
    const now = time.surroundings.now();
    const window = `start=${formatInstant(addMs(now, -40_000))}&end=${formatInstant(addMs(now, -31_000))}`;
    const target = `history/adsb?bbox=7,46,11,48&limit=1000&${window}`;
    const past = await ask(target);
    expect(new Set(past.map(aircraftOf)).size).toBe(AIRCRAFT);
    for (const track of Map.groupBy(past, ({ public_track_id }) => public_track_id).values()) {
      expect(new Set(track.map(({ observed_at }) => observed_at)).size).toBe(track.length);
      expect(new Set(track.map(({ longitude }) => longitude)).size).toBe(track.length);
      const longitudes = track.map(({ longitude }) => longitude);
      expect(longitudes).toEqual(longitudes.toSorted((a, b) => a - b));
    }
    expect(past.filter((position) => errorM(position) > 0.3 * SPEED_MPS)).toEqual([]);
    await live(5);
    expect(await ask(target)).toEqual(past);
    const [seen] = await ask('live/adsb?bbox=5,44,12,50');
    const { stale_after, emergency_state, ...observed } = seen!;
    await live(2);
    const at = instantOf(observed.observed_at);
    const instant = `start=${formatInstant(at)}&end=${formatInstant(addMs(at, 1))}`;
    const same = (await ask(`history/adsb?bbox=7,46,11,48&${instant}`)).map(({ emergency_state: _, ...rest }) => rest);
    expect(same).toContainEqual(observed);
  });

  test('open a map around what is received', async () => {
    expect(source.home()).toBeUndefined();
    await live(3);
    const home = source.home()!;
    expect(home.west).toBeGreaterThan(7);
    expect(home.east).toBeLessThan(9);
    expect(home.south).toBeGreaterThan(46);
    expect(home.north).toBeLessThan(48);
  });
});
