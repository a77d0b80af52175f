import { makeDice } from '#lib/random/seeded-random.ts';
import { FaultyConnection, type StoreCommands } from '#lib/server/redis/model-fleet.fixture.ts';
import { RedisLedger } from '#lib/server/redis/redis-ledger.ts';
import { LedgerStore } from '#lib/server/redis/stored-ledger.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { EventQueue } from './event-queue.ts';
import { randomTroubles, type Trouble } from './fleet-troubles.ts';
import { ModelUpstream } from './model-upstream.ts';
import type { Scenario } from './scenario.ts';
import { SimulatedReplica } from './simulated-replica.ts';
import { SimulatedServer, squareRootRule } from './simulated-server.ts';
import { WatchedArea } from './watched-area.ts';

export interface FleetDays {
  /** Our requests that the upstream refused because the account was empty. */
  readonly refused: number;
  /** Sent by a ledger that had lost what it knew: what each of them takes may have been granted to another request. */
  readonly blindProbes: number;
  /** Requests that checked a used-up day, one an hour: the upstream refuses them. */
  readonly checks: number;
  /** Our requests that counted, by UTC day since 1970. */
  readonly countedByDay: ReadonlyMap<number, number>;
  readonly troubles: Readonly<Partial<Record<Trouble['kind'] | 'seat taken', number>>>;
}

/** A server's seat as the planner ends so long after it stopped renewing it, and is taken within a beat. */
const SEAT_MS = 3 * SECOND_MS;
const BEAT_MS = SECOND_MS;
/** Between two clocks less than the margin that the ledger adds to the end of a window. */
const CLOCK_ERROR_MS = 400;

/**
 * The days of a scenario with several servers that share a ledger: one plans and refreshes, any of them reads the past, and they are killed, stopped
 * and cut off. Deterministic for a scenario, whatever the store is.
 * @param account of keys in the store
 */
export async function simulateFleet(
  scenario: Scenario,
  { replicas: count, losesStore }: { readonly replicas: number; readonly losesStore: boolean },
  store: StoreCommands,
  account: string,
): Promise<FleetDays> {
  const { seed, startAt, endAt, costs, demand } = scenario;
  const dice = makeDice(seed ^ 0xf1ee7);
  const queue = new EventQueue();
  const upstream = new ModelUpstream(queue, scenario);
  const areas = costs.map((cost) => new WatchedArea(cost));
  const { key } = new LedgerStore(store, account);
  const counts: Partial<Record<Trouble['kind'] | 'seat taken', number>> = {};
  const note = (what: Trouble['kind'] | 'seat taken') => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  let server = 'first';
  const observing = new FaultyConnection(store, server);
  /** Asks only how the ledger stands, and is never failed. */
  const observer = new RedisLedger({
    connection: observing,
    account,
    now: () => startAt,
    random: () => 0,
    log: { warn: () => undefined },
    beatEveryMs: 0,
  });
  let hasLost = false;
  let blindProbes = 0;
  let checks = 0;
  /** Trouble that waits for a request to be under way. */
  const waiting: (Trouble & { readonly kind: 'kill' })[] = [];

  const start = (at: number, clockErrorMs: number): SimulatedReplica => {
    const replica: SimulatedReplica = new SimulatedReplica(
      {
        queue,
        upstream,
        store,
        server,
        account,
        clockErrorMs,
        reserving: async (now) => {
          const atMs = epochMs(now) - clockErrorMs;
          const state = await observer.state(now);
          const isBlind = hasLost && (state.minute.size === undefined || state.day.size === undefined);
          return (isGranted) => {
            if (!isGranted) return;
            if (isBlind) blindProbes++;
            if (state.usedUpUntil !== undefined) checks++;
            const kill = waiting.pop();
            const soon = Math.ceil(atMs + dice.between(0, scenario.latencyMs));
            if (kill) queue.add(soon, (then) => killed(replica, kill.downMs, then));
          };
        },
      },
      at,
    );
    return replica;
  };
  const replicas = Array.from({ length: count }, () =>
    start(epochMs(startAt), Math.round(dice.between(-CLOCK_ERROR_MS, CLOCK_ERROR_MS))),
  );

  let seat: { readonly holder: SimulatedReplica; readonly planner: SimulatedServer } | undefined;
  let profile: readonly number[] | undefined;
  const takeSeat = (at: number): void => {
    if (seat) return;
    const able = replicas.filter((replica) => replica.mayPlan(at));
    const holder = able.length > 0 ? dice.pick(able) : undefined;
    if (!holder) {
      queue.add(at + BEAT_MS, takeSeat);
      return;
    }
    note('seat taken');
    for (const area of areas) area.abandon();
    const { ledger, clockErrorMs } = holder;
    const world = { queue: holder.queue, upstream: holder.upstream, areas, scenario: { seed, clockErrorMs } };
    seat = { holder, planner: new SimulatedServer(world, squareRootRule, { ledger, profile }, at) };
  };
  /** Its seat ends, if it has it and cannot renew it. */
  const seatEnds = (replica: SimulatedReplica, at: number) => {
    if (seat?.holder !== replica || replica.mayPlan(at)) return;
    profile = replica.isUp ? seat.planner.retire() : seat.planner.crash();
    seat = undefined;
    queue.add(Math.ceil(at + dice.between(0, BEAT_MS)), takeSeat);
  };
  const unseat = (replica: SimulatedReplica, at: number) =>
    queue.add(Math.ceil(at + SEAT_MS - dice.between(0, BEAT_MS)), (then) => seatEnds(replica, then));
  const killed = (replica: SimulatedReplica, downMs: number, at: number) => {
    if (!replica.isUp) return;
    replica.isUp = false;
    note('kill');
    unseat(replica, at);
    queue.add(at + downMs, (then) => {
      replicas[replicas.indexOf(replica)] = start(then, replica.clockErrorMs);
    });
  };

  const meet = async (trouble: Trouble, at: number): Promise<void> => {
    const replica = replicas[trouble.replica] as SimulatedReplica;
    if (trouble.kind !== 'kill') note(trouble.kind);
    switch (trouble.kind) {
      case 'kill':
        if (trouble.underWay) waiting.push(trouble);
        else killed(replica, trouble.downMs, at);
        return;
      case 'stop':
        replica.stop(at, trouble.ms);
        return unseat(replica, at);
      case 'cut':
        replica.isCut = true;
        queue.add(at + trouble.ms, () => {
          replica.isCut = false;
        });
        return unseat(replica, at);
      case 'faults':
        replica.connection.faults.push(...trouble.faults);
        return queue.add(at + MINUTE_MS, () => replica.connection.arriveLate());
      case 'past':
        return replica.queue.add(at, (then) => replica.readPast(trouble.requests, then));
      case 'flush':
        hasLost = true;
        await store.send(['DEL', key]);
        return;
      case 'fail-over': {
        const copy = (await store.send(['HMGET', key, 'stamp', 'text'])) as string[];
        const failOver = async (then: number) => {
          hasLost = true;
          server = `server at ${then}`;
          const [stamp, text] = copy;
          await store.send(['DEL', key]);
          if (stamp && text) await store.send(['HSET', key, 'stamp', stamp, 'text', text]);
          for (const each of [observing, ...replicas.map(({ connection }) => connection)]) each.server = server;
        };
        return queue.add(at + trouble.behindMs, failOver);
      }
    }
  };

  for (const { at, area, viewers } of demand) {
    queue.add(epochMs(at), () => {
      areas[area]!.watch(viewers, epochMs(at));
      seat?.planner.demandChanged(epochMs(at));
    });
  }
  for (const trouble of randomTroubles(scenario, count, losesStore, dice))
    queue.add(trouble.at, (at) => meet(trouble, at));
  takeSeat(epochMs(startAt));
  await queue.runUntil(epochMs(endAt));
  await store.send(['DEL', key]);
  return { refused: upstream.refused, blindProbes, checks, countedByDay: upstream.counted, troubles: counts };
}
