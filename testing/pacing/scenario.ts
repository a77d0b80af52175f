import { type Dice, makeDice } from '#lib/random/seeded-random.ts';
import { addMs, compareInstants, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';

/** From then on so many look at the area. */
interface DemandChange {
  readonly at: UpstreamInstant;
  readonly area: number;
  readonly viewers: number;
}

/** Some days of an account and of those who watch. */
export interface Scenario {
  readonly seed: number;
  readonly startAt: UpstreamInstant;
  /** A midnight UTC. */
  readonly endAt: UpstreamInstant;
  readonly perMinute: number;
  readonly perDay: number;
  /** Requests that a refresh of each area takes. */
  readonly costs: readonly number[];
  /** In order of time. */
  readonly demand: readonly DemandChange[];
  /** At least one area is watched at every moment. */
  readonly allDay: boolean;
  /** Requests a day of somebody else on the same account; 0 where there is nobody. */
  readonly othersPerDay: number;
  readonly restarts: readonly { readonly at: UpstreamInstant; readonly downMs: number }[];
  /** Of a usual round trip. */
  readonly latencyMs: number;
  /** How far our idea of the upstream's clock is off. */
  readonly clockErrorMs: number;
  /** Parts of the requests that are refused at the edge with a 429, lost on the way, or answered by 503 after counting. */
  readonly faults: { readonly edge: number; readonly lost: number; readonly busy: number };
}

/**
 * Days drawn at random. The size of the day's allowance goes from 100 to 50,000 with a density that falls as its power
 * 1.5 (median 366, mean 2236): small accounts, where pacing matters most, are the many, and large ones, which cost the
 * simulation most, the few. The minute's goes from 5 to 600 evenly in its logarithm, whatever the day's is.
 */
export function randomScenario(seed: number, days: number): Scenario {
  const dice = makeDice(seed);
  const midnight = Date.UTC(2026, 10, 21) + dice.integer(0, 300) * DAY_MS;
  const startAt = upstreamInstant(Math.floor(midnight + dice.between(0, DAY_MS)));
  const endAt = upstreamInstant(midnight + days * DAY_MS);
  const perMinute = Math.round(logUniform(dice, 5, 600));
  // A refresh that takes more than a whole minute gives is never granted: areas are split before they are that dear.
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

/** Each area is watched in sessions of minutes to hours, with numbers of viewers that change; of an all-day one the first always. */
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

/** Now and then one, and now and then several in a row. */
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

function logUniform(dice: Dice, least: number, most: number): number {
  return least * (most / least) ** dice.between(0, 1);
}
