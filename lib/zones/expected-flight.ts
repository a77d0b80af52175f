import { bboxContains, bboxCovers } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { FlightWatched, WatchedStretch } from './alarm.ts';
import type { CompiledZone, CompiledZones } from './evaluation/compile-zones.ts';
import { zoneAnswer } from './evaluation/levels.ts';
import type { Observation } from './evaluation/transition.ts';
import { type CompiledPermit, coverageOf, type PermitTerms, type WatchedPermit } from './permit.ts';
import { shapeBox } from './shape-box.ts';
import type { StretchOfLayer } from './stretches/merged-stretches.ts';
import type { ZoneShape } from './zone.ts';

/** Flights that permits expect: which of them were received, and how much of their time was watched. */

export interface ReceivedFlight extends NonNullable<WatchedPermit['awaited']> {
  /** When the position was observed. */
  readonly at: UpstreamInstant;
}

/** Finds the first position of each expected flight. */
export class FlightSearch {
  readonly #received = new WeakSet<WatchedPermit>();

  /** @returns the flights that were not received before */
  receive(zones: CompiledZones, observations: readonly Observation[]): readonly ReceivedFlight[] {
    const isAwaited = ({ terms }: CompiledPermit) => terms.awaited !== undefined && !this.#received.has(terms);
    if (![...zones.zones.values()].some(({ permits }) => permits.some(isAwaited))) return [];
    const found = new Map<WatchedPermit, UpstreamInstant>();
    for (const observation of observations) {
      const { lon, lat, observedAt } = observation.position;
      for (const zone of zones.near(lon, lat, lon, lat)) {
        if (!bboxContains(zone.ground.bbox, lon, lat)) continue;
        for (const permit of zone.permits) {
          const { terms } = permit;
          if (!terms.awaited || !fits(zone, permit, observation) || this.#received.has(terms)) continue;
          const known = found.get(terms);
          if (!known || observedAt < known) found.set(terms, observedAt);
        }
      }
    }
    for (const terms of found.keys()) this.#received.add(terms);
    return [...found].flatMap(([{ awaited }, at]) => (awaited ? { ...awaited, at } : []));
  }
}

/** A position whose height is unknown may be the flight: it counts, though the permit does not cover it. */
function fits(zone: CompiledZone, permit: CompiledPermit, observation: Observation): boolean {
  const { layer, position } = observation;
  if (coverageOf(permit, layer, position) === 'not' || !isTaken(zone, observation)) return false;
  if (permit.ground) return true;
  const { isOnGround, height } = zoneAnswer(zone, position);
  return isOnGround && height !== 'outside';
}

/** Simulated and test positions are flights only where a rule of the zone takes them. */
function isTaken({ zone }: CompiledZone, { layer, position: { simulated, testBroadcast } }: Observation): boolean {
  if (!simulated && !testBroadcast) return true;
  return zone.rules.some(
    (rule) => rule.layers.includes(layer) && (rule.simulated || !simulated) && (rule.test || !testBroadcast),
  );
}

/** Rounding may move an edge. */
const EDGE_M = 1;

/** Whether all of a permit's area is in the box around its zone, whose watching is recorded. */
export function isInBoxOf(shape: PermitTerms['shape'], zone: ZoneShape): boolean {
  return shape === null || bboxCovers(shapeBox(zone, EDGE_M), shapeBox(shape, 0));
}

interface FlightTime {
  readonly layers: ReadonlySet<Layer>;
  readonly startMs: number;
  readonly endMs: number;
  /** Positions observed before were not compared with the permit. */
  readonly sinceMs: number;
}

/**
 * How much of the time of a flight was watched: by each of its layers, wholly. Partly watched time says nothing of a single
 * flight, so it counts as not watched.
 * @param stretches of its zone
 */
export function watchOfFlight(
  { layers, startMs, endMs, sinceMs }: FlightTime,
  stretches: readonly StretchOfLayer[],
): FlightWatched {
  const edges: (readonly [atMs: number, change: number])[] = [];
  const reasons = new Map<WatchedStretch['reason'], number>();
  for (const { layer, state, reason, ...stretch } of stretches) {
    const [fromMs, toMs] = [Math.max(stretch.fromMs, startMs), Math.min(stretch.toMs, endMs)];
    if (!layers.has(layer) || fromMs >= toMs) continue;
    if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + toMs - fromMs);
    if (state === 'watched' && sinceMs < toMs) edges.push([Math.max(fromMs, sinceMs), 1], [toMs, -1]);
  }
  edges.sort(([one], [next]) => one - next);
  let [watchedMs, watching, beforeMs] = [0, 0, 0];
  for (const [atMs, change] of edges) {
    if (watching === layers.size) watchedMs += atMs - beforeMs;
    [watching, beforeMs] = [watching + change, atMs];
  }
  const [most] = [...reasons].sort(([, one], [, next]) => next - one);
  return { watched_s: watchedMs / SECOND_MS, of_s: (endMs - startMs) / SECOND_MS, reason: most?.[0] ?? null };
}
