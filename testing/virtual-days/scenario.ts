import type { Layer } from '#lib/contract/operation.ts';
import { type Dice, makeDice } from '#lib/random/dice.fixture.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

export interface Place {
  readonly lon: number;
  readonly lat: number;
  readonly tracks: Readonly<Record<Layer, number>>;
}

type Habit =
  | { readonly kind: 'modest'; readonly pages: number; readonly movesEveryMs: number }
  /** Keeps watching the latest places. */
  | { readonly kind: 'greedy'; readonly opensEveryMs: number; readonly kept: number }
  | { readonly kind: 'wall' };

export interface Operator {
  readonly name: string;
  readonly habit: Habit;
  readonly sessions: readonly Span[];
  readonly loads: readonly number[];
}

/** Half-open, ms since 1970. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

export type Trouble =
  /**
   * `refused`: no connection. `silent`: no answer. `busy`: 503 after counting. `edge`: 429 of the network edge, not
   * counted.
   */
  | (Span & { readonly kind: 'refused' | 'silent' | 'busy' | 'edge' })
  /** SIGKILL, and another process after `downMs`. `underWay`: during a request. */
  | { readonly kind: 'kill'; readonly startMs: number; readonly downMs: number; readonly underWay: boolean };

/** Times are the upstream's, ms since 1970. */
export interface Scenario extends Span {
  readonly seed: number;
  readonly perMinute: number;
  readonly perDay: number;
  readonly places: readonly Place[];
  readonly operators: readonly Operator[];
  /** A place is watched at all times. */
  readonly isAllDay: boolean;
  readonly troubles: readonly Trouble[];
  /** Lost on the way, half of them before they count, or a 503 after counting. */
  readonly faults: { readonly lost: number; readonly busy: number };
  /** Requests of another consumer. */
  readonly othersPerDay: number;
  readonly latencyMs: number;
  /** Positive if the engine's clock is ahead of the upstream's. */
  readonly clockErrorMs: number;
  /** The upstream may return fewer than requested. */
  readonly pageRecords: number;
}

const PLACES = 40;
/** One refresh of a place and layer must fit into the smallest minute. */
const PAGES_MAX = 3;

/**
 * The day's allowance is 100 to 50,000, with a density of power −1.5, the minute's 6 to 600, log-uniform: small
 * accounts are frequent.
 */
export function randomScenario(seed: number, days: number): Scenario {
  const dice = makeDice(seed);
  const midnightMs = Date.UTC(2026, 10, 21) + dice.integer(0, 300) * DAY_MS;
  const span = {
    startMs: Math.floor(midnightMs + dice.between(0, DAY_MS)),
    endMs: midnightMs + days * DAY_MS,
  };
  const perDay = Math.round((100 ** -0.5 + dice.between(0, 1) * (50_000 ** -0.5 - 100 ** -0.5)) ** -2);
  const pageRecords = dice.integer(4, 12);
  const isAllDay = dice.chance(0.05);
  const operators = randomOperators(dice, span, isAllDay);
  const hasTroubles = dice.chance(0.6);
  return {
    ...span,
    seed,
    perMinute: Math.round(logUniform(dice, 6, 600)),
    perDay,
    places: Array.from({ length: PLACES }, () => randomPlace(dice, pageRecords)),
    operators,
    isAllDay,
    troubles: hasTroubles ? randomTroubles(dice, operators) : [],
    faults: hasTroubles ? { lost: dice.between(0, 0.01), busy: dice.between(0, 0.01) } : { lost: 0, busy: 0 },
    othersPerDay: dice.chance(0.15) ? perDay * dice.between(0.05, 0.8) : 0,
    latencyMs: logUniform(dice, 30, 2000),
    clockErrorMs: Math.round(dice.between(-1, 1) * logUniform(dice, 10, 10 * MINUTE_MS)),
    pageRecords,
  };
}

function randomPlace(dice: Dice, pageRecords: number): Place {
  const tracks = () => dice.integer(0, dice.chance(0.8) ? pageRecords : PAGES_MAX * pageRecords);
  return { lon: dice.between(-170, 170), lat: dice.between(-60, 65), tracks: { rid: tracks(), adsb: tracks() } };
}

function randomOperators(dice: Dice, span: Span, isAllDay: boolean): readonly Operator[] {
  const operators: Operator[] = [];
  if (isAllDay)
    operators.push({ name: 'wall', habit: { kind: 'wall' }, sessions: [span], loads: randomLoads(dice, [span]) });
  const shiftMs = dice.between(0, DAY_MS);
  for (let count = dice.integer(1, 4); count > 0; count--) {
    const isGreedy = dice.chance(0.2);
    const habit: Habit = isGreedy
      ? { kind: 'greedy', opensEveryMs: logUniform(dice, 3 * SECOND_MS, 3 * MINUTE_MS), kept: dice.integer(4, 24) }
      : { kind: 'modest', pages: dice.integer(1, 3), movesEveryMs: logUniform(dice, 2 * MINUTE_MS, 4 * HOUR_MS) };
    const sessions = randomSessions(dice, span, shiftMs);
    operators.push({ name: `${habit.kind}-${count}`, habit, sessions, loads: randomLoads(dice, sessions) });
  }
  return operators;
}

/** When others watch too. */
function randomSessions(dice: Dice, { startMs, endMs }: Span, shiftMs: number): readonly Span[] {
  const sessions: Span[] = [];
  const firstMs = Math.floor(startMs / DAY_MS) * DAY_MS + shiftMs;
  for (let dayMs = firstMs; dayMs < endMs; dayMs += DAY_MS) {
    const from = Math.floor(dayMs + dice.between(-1, 1) * HOUR_MS);
    const until = Math.floor(from + logUniform(dice, 10 * MINUTE_MS, 3 * HOUR_MS));
    const session = { startMs: Math.max(startMs, from), endMs: Math.min(endMs, until) };
    if (session.startMs < session.endMs) sessions.push(session);
  }
  return sessions;
}

/** One in three hours of watching, at most eight in a session. */
function randomLoads(dice: Dice, sessions: readonly Span[]): readonly number[] {
  return sessions
    .flatMap(({ startMs, endMs }) => {
      const loads = Math.min(8, Math.round(dice.between(0, 2) * ((endMs - startMs) / (3 * HOUR_MS))));
      return Array.from({ length: loads }, () => Math.floor(dice.between(startMs, endMs)));
    })
    .sort((a, b) => a - b);
}

/** Probabilities; events without a viewer change nothing. */
const IN_SESSION = { outage: 0.3, edge: 0.4, kill: 0.3, killUnderWay: 0.5 };

function randomTroubles(dice: Dice, operators: readonly Operator[]): readonly Trouble[] {
  return operators
    .flatMap(({ sessions }) => sessions)
    .flatMap(({ startMs, endMs }) => {
      const troubles: Trouble[] = [];
      const perhaps = (probability: number, of: (atMs: number) => Trouble) => {
        if (dice.chance(probability)) troubles.push(of(Math.floor(dice.between(startMs, endMs))));
      };
      perhaps(IN_SESSION.outage, (atMs) => ({
        kind: dice.pick(['refused', 'silent', 'busy'] as const),
        startMs: atMs,
        endMs: atMs + logUniform(dice, 20 * SECOND_MS, HOUR_MS),
      }));
      perhaps(IN_SESSION.edge, (atMs) => ({
        kind: 'edge',
        startMs: atMs,
        endMs: atMs + logUniform(dice, SECOND_MS, 5 * MINUTE_MS),
      }));
      for (const underWay of [false, true])
        perhaps(underWay ? IN_SESSION.killUnderWay : IN_SESSION.kill, (atMs) => ({
          kind: 'kill',
          startMs: atMs,
          // Half are fail-overs to a waiting writer.
          downMs: Math.round(dice.chance(0.5) ? dice.between(0, 5 * SECOND_MS) : logUniform(dice, 500, 10 * MINUTE_MS)),
          underWay,
        }));
      return troubles;
    })
    .sort((a, b) => a.startMs - b.startMs);
}

function logUniform(dice: Dice, min: number, max: number): number {
  return min * (max / min) ** dice.between(0, 1);
}
