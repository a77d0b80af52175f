import { makeDice } from '#lib/random/seeded-random.ts';
import { viewsAroundPlaces } from '#lib/server/live/plan/viewer-population.fixture.ts';
import { type RedisServer, startRedis } from '#lib/server/redis/redis-server.fixture.ts';
import { type FleetHarness, startFleetHarness } from '#testing/fleet-harness.ts';
import { steadyTraffic } from '#testing/live-harness.ts';
import { movingGrid } from './moving-grid.ts';

const ALLOWANCE = { perMinute: 6000, perDay: 8_000_000 };
const AIRCRAFT = 1000;
/** Contains all of them. */
const GRID_VIEW = { west: 2.5, south: -12.5, east: 27.5, north: 12.5 };
const VIEWERS = 300;
const POLL_MS = 5000;
const POLLS = 8;

/** What things take of a shared store, measured with few of them. */
export async function storeCosts(): Promise<object> {
  const redis = await startRedis();
  try {
    return {
      snapshots: await ofSnapshots(redis),
      planning: await ofPlanning(redis),
    };
  } finally {
    await redis.remove();
  }
}

/** One area of aircraft that all move, over three servers. */
async function ofSnapshots(redis: RedisServer): Promise<object> {
  const fleet = await startFleetHarness({ redis, source: movingGrid(AIRCRAFT), allowance: ALLOWANCE });
  try {
    const poll = async () => {
      const looks = fleet.members.map(({ live, reader }, index) => {
        const viewer = { operator: 'one', session: undefined, page: `${index}` };
        return live.look(viewer, [GRID_VIEW], ['adsb']).then(() => reader.read(viewer, GRID_VIEW, ['adsb']));
      });
      await Promise.all(looks);
      await fleet.live(POLL_MS);
    };
    await fleet.beat();
    for (let each = 0; each < POLLS; each++) await poll();
    const jobs = fleet.planner()?.live.jobs.length ?? 0;
    const began = fleet.countOf('live_adsb');
    const sent = commandsOf(fleet);
    const before = await stats(redis);
    for (let each = 0; each < POLLS; each++) await poll();
    const used = difference(before, await stats(redis));
    const requests = fleet.countOf('live_adsb') - began;
    return {
      areas: jobs,
      full_bytes_for_each_aircraft: rounded((await memoryOf(redis, '*:full:*')) / AIRCRAFT),
      deltas_bytes_for_each_aircraft: rounded((await memoryOf(redis, '*:links:*')) / AIRCRAFT),
      ledger_bytes: await memoryOf(redis, '*:ledger:*'),
      requests,
      seconds: (POLLS * POLL_MS) / 1000,
      // Of three servers: beats, plan and demand included.
      commands: commandsOf(fleet) - sent,
      bytes_in: used.bytesIn,
      bytes_out: used.bytesOut,
    };
  } finally {
    await fleet.close();
    await redis.admin('FLUSHALL');
  }
}

/** Viewers of places without any aircraft, over three servers. */
async function ofPlanning(redis: RedisServer): Promise<object> {
  const dice = makeDice(1);
  const fleet = await startFleetHarness({ redis, source: steadyTraffic(0), allowance: ALLOWANCE });
  try {
    await fleet.beat();
    const views = viewsAroundPlaces(VIEWERS, dice);
    const looks = views.map((view, index) => {
      const viewer = { operator: `operator-${index % 8}`, session: `session-${index}`, page: `${index}` };
      return fleet.members[index % fleet.members.length]?.live.look(viewer, [view], ['adsb']);
    });
    await Promise.all(looks);
    await fleet.live(POLL_MS);
    const jobs = fleet.planner()?.live.jobs.length ?? 0;
    const sent = commandsOf(fleet);
    const began = fleet.countOf('live_adsb');
    await fleet.live(POLL_MS);
    const requests = fleet.countOf('live_adsb') - began;
    return {
      views: views.length,
      areas: jobs,
      demand_bytes_for_each_view: rounded((await memoryOf(redis, '*:demand')) / views.length),
      plan_bytes_for_each_area: rounded((await memoryOf(redis, '*:plan')) / jobs),
      seconds: POLL_MS / 1000,
      requests,
      commands: commandsOf(fleet) - sent,
    };
  } finally {
    await fleet.close();
    await redis.admin('FLUSHALL');
  }
}

/** Those that the servers sent: what a script does is none of them. */
function commandsOf({ members }: FleetHarness): number {
  return members.reduce((sum, { connection }) => sum + connection.counts.commands, 0);
}

interface Stats {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly memory: number;
}

async function stats(redis: RedisServer): Promise<Stats> {
  const info = String(await redis.admin('INFO'));
  const of = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  return {
    bytesIn: of('total_net_input_bytes'),
    bytesOut: of('total_net_output_bytes'),
    memory: of('used_memory'),
  };
}

function difference(before: Stats, after: Stats): Stats {
  return {
    bytesIn: after.bytesIn - before.bytesIn,
    bytesOut: after.bytesOut - before.bytesOut,
    memory: after.memory - before.memory,
  };
}

async function memoryOf(redis: RedisServer, pattern: string): Promise<number> {
  const keys = (await redis.admin('KEYS', pattern)) as string[];
  if (keys.length === 0) throw new Error(`the store has nothing named ${pattern}`);
  let bytes = 0;
  for (const key of keys) bytes += Number(await redis.admin('MEMORY', 'USAGE', key, 'SAMPLES', '0'));
  return bytes;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
