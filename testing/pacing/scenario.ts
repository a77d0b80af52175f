import { type Dice, makeDice } from '#lib/random/seeded-random.ts';
import { addMs, compareInstants, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';

/** From that time on, the area has this many viewers. */
interface DemandChange {
  readonly at: UpstreamInstant;
  readonly area: number;
  readonly viewers: number;
}

/** Some days of an account and its viewers. */
export interface Scenario {
  readonly seed: number;
  readonly startAt: UpstreamInstant;
  /** A midnight UTC. */
  readonly endAt: UpstreamInstant;
  readonly perMinute: number;
  readonly perDay: number;
  /** Requests per refresh of each area. */
  readonly costs: readonly number[];
  /** Ordered by time. */
  readonly demand: readonly DemandChange[];
  /** At least one area has viewers at all times. */
  readonly allDay: boolean;
  /** Requests per day of another consumer of the account; 0 where there is none. */
  readonly othersPerDay: number;
  readonly restarts: readonly { readonly at: UpstreamInstant; readonly downMs: number }[];
  /** Typical round trip. */
  readonly latencyMs: number;
  /** Error of our estimate of the upstream's clock. */
  readonly clockErrorMs: number;
  /** Shares of the requests that are refused at the edge with a 429, lost on the way, or answered by 503 after counting. */
  readonly faults: { readonly edge: number; readonly lost: number; readonly busy: number };
}

/**
 * Random days. The day's allowance is from 100 to 50,000, with a density that falls as its power 1.5 (median 366, mean 2236):
 * small accounts, where pacing matters most, are frequent, and large ones, which are the slowest to simulate, are rare. The
 * minute's allowance is from 5 to 600, uniform in its logarithm, independent of the day's.
 */
export function randomScenario(seed: number, days: number): Scenario {
  const dice = makeDice(seed);
  const midnight = Date.UTC(2026, 10, 21) + dice.integer(0, 300) * DAY_MS;
  const startAt = upstreamInstant(Math.floor(midnight + dice.between(0, DAY_MS)));
  const endAt = upstreamInstant(midnight + days * DAY_MS);
  const perMinute = Math.round(logUniform(dice, 5, 600));
  // A refresh that needs more than a whole minute is never granted: areas are split before they become that expensive.
  const maxCost = Math.min(5, perMinute - 1);
  const costs = Array.from({ length: Math.round(logUniform(dice, 1, 24)) }, () => dice.integer(1, maxCost));
  const allDay = dice.chance(0.4);
  const isFaulty = dice.chance(0.5);
  const perDay = Math.round((100 ** -0.5 + dice.between(0, 1) * (50_000 ** -0.5 - 100 ** -0.5)) ** -2);
  return {
    seed,
    startAt,
    endAt,
    perMinute,
    perDay,
    costs,
    demand: randomDemand(dice, costs.length, allDay, startAt, endAt),
    allDay,
    othersPerDay: dice.chance(0.25) ? perDay * dice.between(0.05, 0.8) : 0,
    restarts: isFaulty ? randomRestarts(dice, startAt, endAt) : [],
    latencyMs: logUniform(dice, 30, 2000),
    clockErrorMs: Math.round(dice.between(-500, 500)),
    faults: isFaulty
      ? { edge: dice.between(0, 0.005), lost: dice.between(0, 0.01), busy: dice.between(0, 0.01) }
      : { edge: 0, lost: 0, busy: 0 },
  };
}

/** Each area has viewers in sessions of minutes to hours, in changing numbers; the first one of an all-day scenario always. */
function randomDemand(
  dice: Dice,
  areas: number,
  allDay: boolean,
  from: UpstreamInstant,
  until: UpstreamInstant,
): DemandChange[] {
  const changes: DemandChange[] = [];
  for (let area = 0; area < areas; area++) {
    const isAlways = allDay && (area === 0 || dice.chance(0.3));
    const popularity = logUniform(dice, 1, 200);
    const pauseMs = logUniform(dice, 10 * MINUTE_MS, 20 * HOUR_MS);
    let at = isAlways ? from : addMs(from, Math.floor(dice.between(0, 1) * pauseMs));
    while (at < until) {
      const sessionEnds = isAlways ? until : addMs(at, Math.ceil(logUniform(dice, 2 * MINUTE_MS, 8 * HOUR_MS)));
      while (at < sessionEnds && at < until) {
        const viewers = Math.min(200, Math.max(1, Math.round(popularity * dice.between(0.3, 2))));
        changes.push({ at, area, viewers });
        at = addMs(at, Math.ceil(Math.min(msBetween(at, sessionEnds), logUniform(dice, 10 * MINUTE_MS, 4 * HOUR_MS))));
      }
      if (!isAlways) changes.push({ at: sessionEnds, area, viewers: 0 });
      at = addMs(sessionEnds, Math.ceil(dice.between(0.2, 2) * pauseMs));
    }
  }
  return changes.sort((a, b) => compareInstants(a.at, b.at));
}

/** Restarts, some of them several in quick succession. */
function randomRestarts(dice: Dice, from: UpstreamInstant, until: UpstreamInstant): Scenario['restarts'] {
  const restarts: { at: UpstreamInstant; downMs: number }[] = [];
  let at = addMs(from, dice.between(0, 2 * DAY_MS));
  while (at < until) {
    const downMs = logUniform(dice, 500, 10 * MINUTE_MS);
    restarts.push({ at, downMs });
    at = addMs(at, downMs + (dice.chance(0.4) ? dice.between(0, MINUTE_MS) : dice.between(0, 3 * DAY_MS)));
  }
  return restarts;
}

function logUniform(dice: Dice, min: number, max: number): number {
  return min * (max / min) ** dice.between(0, 1);
}
