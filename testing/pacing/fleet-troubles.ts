import type { Dice } from '#lib/random/seeded-random.ts';
import type { Fault } from '#lib/server/redis/model-fleet.fixture.ts';
import { epochMs } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Scenario } from './scenario.ts';

/** What happens to a fleet, and when, in milliseconds since 1970. */
export type Trouble = {
  readonly at: number;
  readonly replica: number;
} /** SIGKILL; another one starts later. `underWay`: as soon as one has a request under way, whichever that is. */ & (
  | { readonly kind: 'kill'; readonly underWay: boolean; readonly downMs: number }
  | { readonly kind: 'stop'; readonly ms: number }
  /** The store is out of its reach, and the upstream is not. */
  | { readonly kind: 'cut'; readonly ms: number }
  /** Its next commands to the store. */
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] }
  | { readonly kind: 'flush' }
  /** To a server that has what the store had so long ago. */
  | { readonly kind: 'fail-over'; readonly behindMs: number }
  /** Somebody there wants something of the past. */
  | { readonly kind: 'past'; readonly requests: number }
);

const PER_DAY = { kill: 4, stop: 4, cut: 4, faults: 24, flush: 0.5, 'fail-over': 0.5 };
/** Part of the day's allowance. */
const PAST_SHARE = 0.1;
const PAST_REQUESTS_MAX = 5;

/** Every day of a fleet has kills, stops, partitions and commands that go astray. @param losesStore whether it also has flushes and failovers */
export function randomTroubles(
  { startAt, endAt, perDay }: Scenario,
  replicas: number,
  losesStore: boolean,
  dice: Dice,
): readonly Trouble[] {
  const troubles: Trouble[] = [];
  const often = (meanPerDay: number, of: (where: { at: number; replica: number }) => Trouble) => {
    const next = (at: number) => at - (DAY_MS / meanPerDay) * Math.log(1 - dice.between(0, 1));
    for (let at = next(epochMs(startAt)); at < epochMs(endAt); at = next(at))
      troubles.push(of({ at: Math.ceil(at), replica: dice.integer(0, replicas - 1) }));
  };
  often(PER_DAY.kill, (where) => ({
    ...where,
    kind: 'kill',
    underWay: dice.chance(0.5),
    downMs: Math.round(dice.between(SECOND_MS, MINUTE_MS)),
  }));
  often(PER_DAY.stop, (where) => ({ ...where, kind: 'stop', ms: Math.round(dice.between(100, 90_000)) }));
  often(PER_DAY.cut, (where) => ({ ...where, kind: 'cut', ms: Math.round(SECOND_MS * 600 ** dice.between(0, 1)) }));
  often(PER_DAY.faults, (where) => ({
    ...where,
    kind: 'faults',
    faults: Array.from({ length: dice.integer(1, 3) }, () => dice.pick<Fault>(['unsent', 'unanswered', 'late'])),
  }));
  often((perDay * PAST_SHARE * 2) / (1 + PAST_REQUESTS_MAX), (where) => ({
    ...where,
    kind: 'past',
    requests: dice.integer(1, PAST_REQUESTS_MAX),
  }));
  if (losesStore) {
    often(PER_DAY.flush, (where) => ({ ...where, kind: 'flush' }));
    often(PER_DAY['fail-over'], (where) => ({
      ...where,
      kind: 'fail-over',
      behindMs: Math.round(100 * 600 ** dice.between(0, 1)),
    }));
  }
  return troubles;
}
