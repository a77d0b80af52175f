import { destination, type LonLat } from '#lib/geo/great-circle.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { evaluate } from '../evaluate.ts';
import { ruleSchema } from '../rule.ts';
import type { RuleFailure } from './alarms.ts';
import { compileZones } from './compile-zones.ts';
import { loadZoneState } from './state-rows.ts';
import { BOUNDS, type EvaluationBounds } from './tally.ts';
import type { Observation, Transition, WatchedNote, WatchedRule, WatchedZone } from './transition.ts';
import { emptyZoneState, type ZoneState } from './zone-state.ts';

/** The day is a Saturday. */
export const START_MS = Date.UTC(2026, 10, 21, 12);
const CENTRE: LonLat = { lon: 8.5, lat: 47.4 };
export const RADIUS_M = 1000;

export function instant(atS: number) {
  return upstreamInstant(START_MS + atS * SECOND_MS);
}

const NO_HOLD = { hold_s: 0, hold_m: 0, hold_out_s: 0, hold_out_m: 0 };

/** The rule has no hold. */
export function ruleOf(rule: { kind: WatchedRule['kind'] } & Record<string, unknown>): WatchedRule {
  return {
    id: `rule-${rule.kind}`,
    ...ruleSchema.parse({ layers: ['rid', 'adsb'], ...NO_HOLD, ...rule }),
  } as WatchedRule;
}

export function zoneOf(zone: Partial<WatchedZone> = {}): WatchedZone {
  return {
    id: 'zone',
    revision: 1,
    shape: { type: 'Circle', centre: [CENTRE.lon, CENTRE.lat], radius_m: RADIUS_M },
    vertical: null,
    hours: null,
    rules: [ruleOf({ kind: 'entered' })],
    permits: [],
    ...zone,
  };
}

/** The position is inside where `northM` is below `RADIUS_M`. */
export function seen(atS: number, northM: number, change: Partial<Position> = {}): Observation {
  const kind = change.kind ?? 'drone';
  const layer: Layer = kind === 'drone' ? 'rid' : 'adsb';
  const ref = kind === 'drone' ? 'RX-D-0000000000000001' : 'RX-A-0000000000000001';
  const place = destination(CENTRE, northM < 0 ? 180 : 0, Math.abs(northM));
  return { layer, position: { ...plainPosition, ref, kind, ...place, observedAt: instant(atS), ...change } };
}

export function note(fromS: number, toS: number, change: Partial<WatchedNote> = {}): WatchedNote {
  return {
    zoneId: 'zone',
    layer: 'rid',
    from: instant(fromS),
    to: instant(toS),
    state: 'watched',
    reason: null,
    ...change,
  };
}

export function notWatched(fromS: number, toS: number): WatchedNote {
  return note(fromS, toS, { state: 'not_watched', reason: 'upstream' });
}

export class Evaluator {
  readonly transitions: Transition[] = [];
  readonly failures: RuleFailure[] = [];
  readonly rows = new Map<string, string>();
  late = 0;
  #state: ZoneState = emptyZoneState();
  #zones = compileZones([]);

  constructor(...zones: readonly WatchedZone[]) {
    this.#zones = compileZones(zones);
  }

  get state(): ZoneState {
    return this.#state;
  }

  answer(observations: readonly Observation[], watched: readonly WatchedNote[] = []): readonly Transition[] {
    const { state, transitions, rows, failures, late } = evaluate(this.#zones, this.#state, observations, watched);
    for (const { key, value } of rows()) {
      if (value === undefined) this.rows.delete(key);
      else this.rows.set(key, value);
    }
    this.#state = state;
    this.transitions.push(...transitions);
    this.failures.push(...failures);
    this.late += late;
    return transitions;
  }

  restart(): void {
    this.#state = loadZoneState([...this.rows].map(([key, value]) => ({ key, value })));
  }

  change(...zones: readonly WatchedZone[]): void {
    this.#zones = compileZones(zones, this.#zones, this.#zones.bounds);
  }

  bound(bounds: Partial<EvaluationBounds>): void {
    this.#zones = { ...this.#zones, bounds: { ...BOUNDS, ...bounds } };
  }
}

/** Such as `+10 opened entered`, in seconds after `START_MS`. */
export function words(transitions: readonly Transition[]): string[] {
  return transitions.map(({ at, type, kind, end }) => {
    const seconds = (Number(at) - START_MS) / SECOND_MS;
    return `+${seconds} ${type} ${type === 'ended' ? end : kind}`;
  });
}
