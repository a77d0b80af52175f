import type { StoreCommands } from '#lib/server/redis/model-fleet.fixture.ts';
import { msBetween } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { isDayLimiting, usedOfWholeDays } from './pacing-figures.ts';
import { randomScenario } from './scenario.ts';
import { type FleetDays, simulateFleet } from './simulate-fleet.ts';

interface Refusals {
  days: number;
  requests: number;
  /** Our requests that the upstream refused because the account was empty, without the hourly checks of a used-up day. */
  refused: number;
  /** Sent by a ledger that had lost what it knew. */
  blindProbes: number;
  /** Refused beyond one for each such probe. */
  overspent: number;
}

export interface FleetFigures {
  /** Runs in which the store keeps what it was given. */
  readonly kept: Refusals;
  /** Runs in which it is flushed, and fails over to a server that knows less. */
  readonly lost: Refusals;
  /** Share of the day's allowance used, for each whole day as in `PacingFigures`. */
  readonly used: readonly number[];
  readonly troubles: Record<string, number>;
}

const DAYS_PER_RUN = 4;

/** Runs random days of several servers, until that many have passed. In every second run the store loses what it knows now and then. */
export async function fleetFigures(
  { days, firstSeed, replicas }: { readonly days: number; readonly firstSeed: number; readonly replicas: number },
  store: StoreCommands,
): Promise<FleetFigures> {
  const none = (): Refusals => ({ days: 0, requests: 0, refused: 0, blindProbes: 0, overspent: 0 });
  const [kept, lost] = [none(), none()];
  const used: number[] = [];
  const troubles: Record<string, number> = {};
  for (let run = 0; kept.days + lost.days < days; run++) {
    const scenario = { ...randomScenario(firstSeed + run, DAYS_PER_RUN), othersPerDay: 0 };
    const losesStore = run % 2 === 1;
    const passed = await simulateFleet(scenario, { replicas, losesStore }, store, `run-${firstSeed + run}`);
    add(losesStore ? lost : kept, msBetween(scenario.startAt, scenario.endAt) / DAY_MS, passed);
    for (const [kind, count] of Object.entries(passed.troubles)) troubles[kind] = (troubles[kind] ?? 0) + count;
    if (isDayLimiting(scenario)) used.push(...usedOfWholeDays(scenario, passed));
  }
  return { kept, lost, used, troubles };
}

function add(sums: Refusals, days: number, { refused, blindProbes, checks, countedByDay }: FleetDays): void {
  const unexpected = Math.max(0, refused - checks);
  sums.days += days;
  for (const counted of countedByDay.values()) sums.requests += counted;
  sums.refused += unexpected;
  sums.blindProbes += blindProbes;
  sums.overspent += Math.max(0, unexpected - blindProbes);
}
