import { AllowanceLedger, type SavedLedger } from '#lib/server/allowance/allowance-ledger.ts';
import { epochMs } from '#lib/time/instant.ts';
import { EventQueue } from './event-queue.ts';
import { ModelUpstream } from './model-upstream.ts';
import type { Scenario } from './scenario.ts';
import { type IntervalRule, SimulatedServer } from './simulated-server.ts';
import { WatchedArea } from './watched-area.ts';

export interface SimulatedDays {
  /** Our requests that the upstream refused because the account was empty, without those that check a used-up day once an hour. */
  readonly overspent: number;
  /** Our requests that counted, by UTC day since 1970. */
  readonly countedByDay: ReadonlyMap<number, number>;
  /** Age of what viewers see, averaged over viewers and time; 0 where there were none. */
  readonly meanAgeMs: number;
}

/** Simulates the days of a scenario. Deterministic for a scenario and rule. */
export async function simulate(scenario: Scenario, rule: IntervalRule): Promise<SimulatedDays> {
  const { startAt, endAt, costs, demand, restarts } = scenario;
  const queue = new EventQueue();
  const upstream = new ModelUpstream(queue, scenario);
  const areas = costs.map((cost) => new WatchedArea(cost));
  const world = { queue, upstream, areas, scenario };
  let checks = 0;
  const noteCheck = () => checks++;
  let ledger = new CheckedLedger(noteCheck);
  let server: SimulatedServer | undefined = new SimulatedServer(
    world,
    rule,
    { ledger, profile: undefined },
    epochMs(startAt),
  );
  for (const { at, area, viewers } of demand) {
    queue.add(epochMs(at), () => {
      areas[area]!.watch(viewers, epochMs(at));
      server?.demandChanged(epochMs(at));
    });
  }
  for (const { at, downMs } of restarts) {
    queue.add(epochMs(at), () => {
      const profile = server?.crash();
      if (!profile) return;
      server = undefined;
      const onDisk: SavedLedger = structuredClone(ledger.saved());
      for (const area of areas) area.forget();
      queue.add(Math.ceil(epochMs(at) + downMs), (then) => {
        ledger = new CheckedLedger(noteCheck, onDisk);
        server = new SimulatedServer(world, rule, { ledger, profile }, then);
      });
    });
  }
  await queue.runUntil(epochMs(endAt));
  for (const area of areas) area.count(epochMs(endAt));
  const viewerMs = areas.reduce((sum, area) => sum + area.viewerMs, 0);
  const ageMs2 = areas.reduce((sum, area) => sum + area.ageMs2, 0);
  return {
    overspent: Math.max(0, upstream.refused - checks),
    countedByDay: upstream.counted,
    meanAgeMs: viewerMs === 0 ? 0 : ageMs2 / viewerMs,
  };
}

/** Reports each request that it grants of a used-up day. */
class CheckedLedger extends AllowanceLedger {
  readonly #noteCheck: () => void;

  constructor(noteCheck: () => void, saved?: SavedLedger) {
    super(saved);
    this.#noteCheck = noteCheck;
  }

  override reserve(...terms: Parameters<AllowanceLedger['reserve']>): ReturnType<AllowanceLedger['reserve']> {
    const isUsedUp = this.state(terms[2]).usedUpUntil !== undefined;
    const reserved = super.reserve(...terms);
    if (isUsedUp && reserved.kind === 'granted') this.#noteCheck();
    return reserved;
  }
}
