import Flatbush from 'flatbush';
import { bboxCovers, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { WatchedStretch } from './alarm.ts';
import { zoneAnswer } from './evaluation/levels.ts';
import type { WatchedZone } from './evaluation/transition.ts';
import { type Ground, groundOf } from './ground.ts';
import { compilePermit, coverageOf, type PermitTerms } from './permit.ts';
import { shapeBox } from './shape-box.ts';
import type { StretchOfLayer } from './stretches/merged-stretches.ts';
import type { ZoneShape } from './zone.ts';

/** Flights that permits expect: which of them were received, and how much of their time was watched. */

export interface ExpectedFlight {
  readonly permit: string;
  readonly revision: number;
  readonly terms: PermitTerms;
}

type FlightZone = Pick<WatchedZone, 'revision' | 'shape' | 'vertical' | 'rules'> & {
  readonly flights: readonly ExpectedFlight[];
};

interface CompiledFlight {
  readonly flight: ExpectedFlight;
  readonly zone: FlightZone;
  readonly permit: ReturnType<typeof compilePermit>;
  readonly ground: Ground;
}

export interface ReceivedFlight {
  readonly permit: string;
  readonly revision: number;
  /** When the position was observed. */
  readonly at: UpstreamInstant;
}

/** Finds the first position of each expected flight. */
export class FlightSearch {
  #expected: ReadonlyMap<string, CompiledFlight> = new Map();
  readonly #received = new Set<string>();

  setZones(zones: readonly FlightZone[]): void {
    const before = this.#expected;
    this.#expected = new Map(
      zones.flatMap((zone) =>
        zone.flights.map((flight): [string, CompiledFlight] => {
          const key = `${flight.permit} ${flight.revision}`;
          const known = before.get(key);
          return [key, known?.zone === zone ? known : compiled(flight, zone)];
        }),
      ),
    );
    for (const key of this.#received) if (!this.#expected.has(key)) this.#received.delete(key);
  }

  /** @param positions of one read @returns the flights that were not received before */
  receive(layer: Layer, positions: Iterable<Position>): readonly ReceivedFlight[] {
    if (this.#expected.size === this.#received.size) return [];
    const all = [...positions];
    const [firstMs, lastMs] = all.reduce(
      ([first, last], { observedAt }) => [Math.min(first, epochMs(observedAt)), Math.max(last, epochMs(observedAt))],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    );
    const candidates = [...this.#expected].filter(
      ([key, { permit }]) => !this.#received.has(key) && permit.startMs <= lastMs && permit.endMs > firstMs,
    );
    const found = new Map<string, ReceivedFlight>();
    const near = nearOf(candidates);
    for (const position of all)
      for (const [key, flight] of near(position)) {
        if (!fits(flight, layer, position)) continue;
        const { permit, revision } = flight.flight;
        const known = found.get(key);
        if (!known || position.observedAt < known.at) found.set(key, { permit, revision, at: position.observedAt });
      }
    for (const key of found.keys()) this.#received.add(key);
    return [...found.values()];
  }
}

function compiled(flight: ExpectedFlight, zone: FlightZone): CompiledFlight {
  const permit = compilePermit(flight.terms);
  return { flight, zone, permit, ground: permit.ground ?? groundOf(zone.shape) };
}

/** Rounding may move an edge. */
const EDGE_M = 1;
type Keyed = readonly [key: string, flight: CompiledFlight];

function nearOf(flights: readonly Keyed[]): (at: Pick<Position, 'lon' | 'lat'>) => readonly Keyed[] {
  const boxes = flights.flatMap((keyed) => {
    const [, { flight, zone }] = keyed;
    return splitAtAntimeridian(shapeBox(flight.terms.shape ?? zone.shape, EDGE_M)).map((box) => ({ keyed, box }));
  });
  if (boxes.length === 0) return () => [];
  const index = new Flatbush(boxes.length);
  for (const { box } of boxes) index.add(box.west, box.south, box.east, box.north);
  index.finish();
  return ({ lon, lat }) => index.search(lon, lat, lon, lat).flatMap((at) => (boxes[at] ? [boxes[at].keyed] : []));
}

/** A position whose height is unknown may be the flight: it counts, though the permit does not cover it. */
function fits({ permit, zone, ground }: CompiledFlight, layer: Layer, position: Position): boolean {
  if (!isTaken(zone, layer, position) || coverageOf(permit, layer, position) === 'not') return false;
  if (permit.ground) return true;
  const { isOnGround, height } = zoneAnswer({ zone, ground }, position);
  return isOnGround && height !== 'outside';
}

/** Simulated and test positions are flights only where a rule of the zone takes them. */
function isTaken({ rules }: FlightZone, layer: Layer, { simulated, testBroadcast }: Position): boolean {
  const ofLayer = () => rules.filter(({ layers }) => layers.includes(layer));
  return (
    (!simulated || ofLayer().some((rule) => rule.simulated)) && (!testBroadcast || ofLayer().some(({ test }) => test))
  );
}

/** Whether all of a permit's area is in the box around its zone, whose watching is recorded. */
export function isInBoxOf(shape: PermitTerms['shape'], zone: ZoneShape): boolean {
  return shape === null || bboxCovers(shapeBox(zone, EDGE_M), shapeBox(shape, 0));
}

export interface FlightTime {
  readonly layers: readonly Layer[];
  readonly startMs: number;
  readonly endMs: number;
  /** Positions observed before were not compared with the permit. */
  readonly sinceMs: number;
  /** When its first position was observed. */
  readonly receivedMs: number | null;
}

export interface FlightWatch {
  readonly watchedMs: number;
  readonly ofMs: number;
  /** Why most of the rest was not watched; null: no reason is recorded, or all of it was. */
  readonly reason: WatchedStretch['reason'];
}

/**
 * How much of the time of a flight that was not received was watched: by each of its layers, wholly. Partly watched time
 * says nothing of a single flight, so it counts as not watched.
 * @param stretches of its zone
 * @returns `undefined` for a flight that was received
 */
export function watchOfUnreceived(
  { layers, startMs, endMs, sinceMs, receivedMs }: FlightTime,
  stretches: readonly StretchOfLayer[],
): FlightWatch | undefined {
  if (receivedMs !== null) return undefined;
  const within = stretches
    .filter(({ layer }) => layers.includes(layer))
    .map((each) => ({ ...each, fromMs: Math.max(each.fromMs, startMs), toMs: Math.min(each.toMs, endMs) }))
    .filter(({ fromMs, toMs }) => fromMs < toMs);
  const compared = { fromMs: Math.max(startMs, sinceMs), toMs: endMs };
  let watched: readonly Span[] = compared.fromMs < endMs ? [compared] : [];
  for (const layer of new Set(layers))
    watched = shared(
      watched,
      within.filter((each) => each.layer === layer && each.state === 'watched'),
    );
  const reasons = new Map<WatchedStretch['reason'], number>();
  for (const { reason, fromMs, toMs } of within)
    if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + toMs - fromMs);
  const [most] = [...reasons].sort(([, one], [, next]) => next - one);
  return { watchedMs: lengthMs(watched), ofMs: endMs - startMs, reason: most?.[0] ?? null };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** @param spans each of some length @param others without overlaps */
function shared(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  const ordered = others.toSorted((one, next) => one.fromMs - next.fromMs);
  let first = 0;
  return spans.flatMap(({ fromMs, toMs }) => {
    while ((ordered[first]?.toMs ?? toMs) <= fromMs) first++;
    const found: Span[] = [];
    for (let at = first; (ordered[at]?.fromMs ?? toMs) < toMs; at++) {
      const other = ordered[at] as Span;
      found.push({ fromMs: Math.max(fromMs, other.fromMs), toMs: Math.min(toMs, other.toMs) });
    }
    return found;
  });
}

function lengthMs(spans: readonly Span[]): number {
  return spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}
