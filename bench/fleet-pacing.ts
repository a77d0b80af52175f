import { isDeepStrictEqual } from 'node:util';
import { connectTo, startRedis } from '#lib/server/redis/redis-server.fixture.ts';
import { type FleetFigures, fleetFigures } from '#testing/pacing/fleet-figures.ts';
import { modelStore } from '#testing/pacing/model-store.ts';

const DAYS = Number(process.env.FLEET_PACING_DAYS ?? 1000);
/** Simulated once more over a real server, which takes a millisecond where the model takes none. */
const REAL_DAYS = 12;
const REPLICAS = 3;
const FIRST_SEED = 1;
const GOAL_USED = 0.93;

/** Whole days of random accounts and viewers with several servers that share a ledger, and are killed, stopped and cut off. */
export async function fleetPacing(): Promise<object> {
  const cpu = process.cpuUsage();
  const figures = await fleetFigures({ days: DAYS, firstSeed: FIRST_SEED, replicas: REPLICAS }, modelStore());
  const { user, system } = process.cpuUsage(cpu);
  const { kept, lost, used, troubles } = figures;
  const usedMean = used.reduce((sum, part) => sum + part, 0) / used.length;
  const isSameOverRedis = await agrees();
  const overspent = kept.overspent + lost.overspent;
  return {
    what:
      `the ledger of several servers and the pacing rules with a small scheduler, ${REPLICAS} servers of which one plans and each reads the past now and then, ` +
      'against the same upstream and accounts as `pacing`; each day has SIGKILLs (half of them with a request under way), stops of up to 90 s, servers cut ' +
      'off from the store, and commands that are lost, carried out without an answer or late; in every second run the store is flushed and fails over to ' +
      'a copy of up to a minute before. The store is a model in this process, for the ledger only; the seat of the planner is simulated too. ' +
      `${REAL_DAYS} of the days are simulated over a real redis-server as well`,
    goal: { overspent: 0, used_mean: GOAL_USED, same_over_redis: true },
    reached: overspent === 0 && usedMean >= GOAL_USED && isSameOverRedis,
    days: Math.round(kept.days + lost.days),
    requests: kept.requests + lost.requests,
    overspent,
    store_kept: figuresOf(kept),
    // A probe that knows nothing may take what was granted to another request.
    store_lost_now_and_then: figuresOf(lost),
    used_of_day_under_all_day_demand: {
      days: used.length,
      mean: rounded(usedMean),
      worst: rounded(Math.min(...used)),
      part_of_days_below_goal: rounded(used.filter((part) => part < GOAL_USED).length / used.length),
    },
    troubles,
    same_over_redis: isSameOverRedis,
    processor_s: Math.round((user + system) / 1e6),
  };
}

/** Whether a real server leads to the same days. */
async function agrees(): Promise<boolean> {
  const runs = { days: REAL_DAYS, firstSeed: FIRST_SEED, replicas: REPLICAS };
  const server = await startRedis();
  const connection = await connectTo(server.target);
  try {
    return isDeepStrictEqual(await fleetFigures(runs, connection), await fleetFigures(runs, modelStore()));
  } finally {
    connection.close();
    await server.remove();
  }
}

function figuresOf({ days, requests, refused, blindProbes }: FleetFigures['kept']): object {
  return { days: Math.round(days), requests, refused, blind_probes: blindProbes };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
