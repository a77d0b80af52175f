import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { growToGrid } from '#lib/geo/grow-to-grid.ts';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import { mergeAreas } from './merge-areas.ts';
import { type Expected, requestCost } from './request-cost.ts';
import { splitByCount } from './split-by-count.ts';

/** A fresh plan that saves this many requests or fewer is not worth the change: areas stay while counts fluctuate. */
const STABILITY_REQUESTS = 1;

/** From 4° (for a side of the live limit) to 1/64°. */
const MAX_HALVINGS = 8;

/** A box without width or height cannot be requested. */
const MIN_SPAN_DEG = 2 ** -6;

/** Above this, areas are not compared in pairs. */
const COMPARED_MAX = 1000;

/** How often the candidates that cannot contain further boxes are dropped: each time visits all of them. */
const PRUNE_EVERY = 32;

/**
 * Chooses the areas to request for all viewports. Every viewport is covered, the plan costs at most as much as all
 * viewports alone, and the previous plan stays where it costs at most one request more. It never asks the upstream, and
 * the same input gives the same plan.
 * @param viewports do not cross 180° or exceed the contract's live limit; duplicates are allowed
 * @param previous `[]` where there was none
 */
export function planAreas(viewports: readonly Bbox[], expected: Expected, previous: readonly Bbox[]): readonly Bbox[] {
  const seen = outermostBoxes(viewports.map(withArea));
  const fresh = freshPlan(seen, expected);
  if (previous.length === 0) return fresh;
  const needed = dropUnneeded(splitAll(previous, expected), seen, expected);
  const uncovered = seen.filter((viewport) => !isCovered(viewport, needed));
  const kept = uncovered.length === 0 ? needed : [...needed, ...freshPlan(uncovered, expected)];
  const maxCost = viewports.reduce((sum, viewport) => sum + requestCost(expected(viewport)), 0);
  return steadyPlan(seen, { kept: dropUnneeded(kept, seen, expected), fresh }, expected, maxCost);
}

/** Areas grow after they were merged, because fewer grown areas would fit into one hull. */
function freshPlan(seen: readonly Bbox[], expected: Expected): readonly Bbox[] {
  const areas = mergeAreas(seen, expected).map((area) => grownArea(area, expected));
  const needed = dropUnneeded(areas, seen, expected);
  const parts = splitAll(needed, expected);
  return parts.length === needed.length ? needed : dropUnneeded(parts, seen, expected);
}

function splitAll(areas: readonly Bbox[], expected: Expected): readonly Bbox[] {
  return areas.flatMap((area) => splitByCount(area, expected));
}

/** Grows an area so that a viewer who pans a little stays inside, unless that costs more requests. */
function grownArea(area: Bbox, expected: Expected): Bbox {
  const cost = requestCost(expected(area));
  for (let halvings = 0; halvings <= MAX_HALVINGS; halvings++) {
    const grown = growToGrid(area, LIVE_MAX_SPAN_DEG, halvings);
    if (requestCost(expected(grown)) <= cost) return grown;
  }
  return area;
}

/** Gives a line or a point an area, towards the inside of the world. */
function withArea(viewport: Bbox): Bbox {
  const { west, south, east, north } = viewport;
  const wide = lonSpanDeg(viewport) > 0;
  const high = latSpanDeg(viewport) > 0;
  if (wide && high) return viewport;
  return {
    west: wide || west < 180 ? west : 180 - MIN_SPAN_DEG,
    east: wide || west === 180 ? east : Math.min(180, east + MIN_SPAN_DEG),
    south: high || south < 90 ? south : 90 - MIN_SPAN_DEG,
    north: high || south === 90 ? north : Math.min(90, north + MIN_SPAN_DEG),
  };
}

/** Drops areas without which every viewport is still covered, the most expensive first. */
function dropUnneeded(areas: readonly Bbox[], viewports: readonly Bbox[], expected: Expected): readonly Bbox[] {
  const costs = new Map(areas.map((area) => [area, requestCost(expected(area))]));
  const costOf = (area: Bbox) => costs.get(area) ?? 0;
  const cheapestFirst = areas.toSorted((a, b) => costOf(a) - costOf(b));
  let left = areas.length > COMPARED_MAX ? firstThatCover(cheapestFirst) : cheapestFirst;
  for (const area of left.toReversed()) {
    const others = left.filter((other) => other !== area && boxesShareArea(other, area));
    const isNeeded = !isCovered(area, others) && viewports.some((viewport) => needs(viewport, area, others));
    if (!isNeeded) left = left.filter((other) => other !== area);
  }
  const needed = new Set(left);
  return areas.filter((area) => needed.has(area));
}

function needs(viewport: Bbox, area: Bbox, others: readonly Bbox[]): boolean {
  const seen = boxesShareArea(viewport, area) && intersectBbox(viewport, area);
  return seen ? !isCovered(seen, others) : false;
}

function firstThatCover(areas: readonly Bbox[]): readonly Bbox[] {
  const first: Bbox[] = [];
  for (const area of areas) {
    const others = first.filter((other) => boxesShareArea(other, area));
    if (!isCovered(area, others)) first.push(area);
  }
  return first;
}

/** Two plans that both cover the same viewports. */
interface Choice {
  readonly kept: readonly Bbox[];
  readonly fresh: readonly Bbox[];
}

/**
 * Takes the kept plan in as many places as possible. A place is a set of areas that viewports connect.
 * @param maxCost not exceeded by the fresh plan
 */
function steadyPlan(viewports: readonly Bbox[], choice: Choice, expected: Expected, maxCost: number): readonly Bbox[] {
  const cost = (areas: readonly Bbox[]) => areas.reduce((sum, area) => sum + requestCost(expected(area)), 0);
  const more = ({ kept, fresh }: Choice) => cost(kept) - cost(fresh);
  let moreLeft = Math.min(STABILITY_REQUESTS, maxCost - cost(choice.fresh));
  if (more(choice) <= moreLeft) return choice.kept;

  return placesOf(viewports, choice)
    .map((place) => ({ ...place, more: more(place) }))
    .sort((a, b) => a.more - b.more)
    .flatMap((place) => {
      if (place.more > moreLeft) return place.fresh;
      moreLeft -= place.more;
      return place.kept;
    });
}

/** In each place, either of its plans covers its viewports. */
function placesOf(viewports: readonly Bbox[], { kept, fresh }: Choice): readonly Choice[] {
  const areas = [...kept, ...fresh];
  /** Union-find: the index of another area of the same place, or its own. */
  const leadsTo = areas.map((_, index) => index);
  const placeOf = (index: number): number => {
    let at = index;
    while (leadsTo[at] !== at) at = leadsTo[at] as number;
    leadsTo[index] = at;
    return at;
  };
  for (const viewport of viewports) {
    let place: number | undefined;
    for (const [index, area] of areas.entries()) {
      if (!boxesShareArea(viewport, area)) continue;
      place ??= placeOf(index);
      leadsTo[placeOf(index)] = place;
    }
  }
  const places = new Map<number, { kept: Bbox[]; fresh: Bbox[] }>();
  for (const [index, area] of areas.entries()) {
    const at = placeOf(index);
    const place = places.get(at) ?? { kept: [], fresh: [] };
    places.set(at, place);
    place[index < kept.length ? 'kept' : 'fresh'].push(area);
  }
  return [...places.values()];
}

// The rest is called millions of times in a plan of thousands of viewports: no box in it crosses 180°.

/** The boxes that no other box contains, from west to east. */
function outermostBoxes(boxes: readonly Bbox[]): readonly Bbox[] {
  const outermost: Bbox[] = [];
  /** Those that reach the current box: no others can contain it. */
  let reaching: Bbox[] = [];
  for (const [index, box] of boxes.toSorted(containersFirst).entries()) {
    if (index % PRUNE_EVERY === 0) reaching = reaching.filter(({ east }) => east > box.west);
    if (reaching.some((other) => contains(other, box))) continue;
    reaching.push(box);
    outermost.push(box);
  }
  return outermost;
}

/** A box comes after every box that contains it. */
function containersFirst(a: Bbox, b: Bbox): number {
  return a.west - b.west || b.east - a.east || a.south - b.south || b.north - a.north;
}

function contains(outer: Bbox, inner: Bbox): boolean {
  return (
    inner.west >= outer.west && inner.east <= outer.east && inner.south >= outer.south && inner.north <= outer.north
  );
}

/** Touching does not count. */
function boxesShareArea(a: Bbox, b: Bbox): boolean {
  return a.west < b.east && b.west < a.east && a.south < b.north && b.south < a.north;
}

/** Whether the areas together cover the box. */
export function isCovered({ west, south, east, north }: Bbox, areas: readonly Bbox[]): boolean {
  return isCoveredFrom(0, areas, west, south, east, north);
}

/** The areas after the first one that meets the box must cover what that one leaves. */
function isCoveredFrom(
  first: number,
  areas: readonly Bbox[],
  west: number,
  south: number,
  east: number,
  north: number,
): boolean {
  for (let index = first; index < areas.length; index++) {
    const area = areas[index] as Bbox;
    if (area.west >= east || area.east <= west || area.south >= north || area.north <= south) continue;
    const bottom = Math.max(south, area.south);
    const top = Math.min(north, area.north);
    const next = index + 1;
    return (
      (bottom <= south || isCoveredFrom(next, areas, west, south, east, bottom)) &&
      (top >= north || isCoveredFrom(next, areas, west, top, east, north)) &&
      (area.west <= west || isCoveredFrom(next, areas, west, bottom, area.west, top)) &&
      (area.east >= east || isCoveredFrom(next, areas, area.east, bottom, east, top))
    );
  }
  return false;
}
