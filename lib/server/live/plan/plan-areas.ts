import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, intersectBbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { growToGrid } from '#lib/geo/grown-box.ts';
import { type Expected, requestCost } from './request-cost.ts';
import { splitByCount } from './split-by-count.ts';

/** A fresh plan that saves this many requests or fewer is not worth the change: areas stay while counts fluctuate. */
const STABILITY_REQUESTS = 1;

/** The steps go from 4° (for a side of the live limit) to 1/64°. */
const MAX_HALVINGS = 8;

/** A box without width or height cannot be requested. */
const MIN_SPAN_DEG = 2 ** -6;

/** More areas are not compared in pairs. */
const COMPARED_MAX = 1000;

/** How often the candidates that cannot contain further boxes are dropped: each time visits all of them. */
const PRUNE_EVERY = 32;

/** Above this, areas are merged by halves of the map, since every pair is compared. */
const MERGED_TOGETHER_MAX = 128;

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

/** Grows an area for viewers who pan a little, by as much as costs no more requests. */
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

/** The places of the two plans. In each, either plan covers its viewports. */
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
  /** The boxes that reach the current one: no others can contain it. */
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

/** Boxes that only touch share no area. */
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

/**
 * Merges areas while that saves requests. It is greedy: the pair whose hull saves most requests comes first, and of equal
 * savings the one that adds least area.
 */
function mergeAreas(areas: readonly Bbox[], expected: Expected): readonly Bbox[] {
  if (areas.length <= MERGED_TOGETHER_MAX) return new AreaMerger(areas, expected).merged();
  const halves = halvesOfTheMap(areas).map((half) => mergeAreas(half, expected));
  const together = halves.flat();
  // Hardly any pair of so many saves a request.
  return together.length <= MERGED_TOGETHER_MAX ? new AreaMerger(together, expected).merged() : together;
}

/** The areas in two halves, cut across the longer extent. */
function halvesOfTheMap(areas: readonly Bbox[]): readonly (readonly Bbox[])[] {
  const lons = areas.map(({ west, east }) => west + east);
  const lats = areas.map(({ south, north }) => south + north);
  const wide = extent(lons) > extent(lats);
  const sorted = areas.toSorted((a, b) =>
    wide ? a.west + a.east - b.west - b.east : a.south + a.north - b.south - b.north,
  );
  const middle = sorted.length >> 1;
  return [sorted.slice(0, middle), sorted.slice(middle)];
}

function extent(values: readonly number[]): number {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return max - min;
}

const NONE = -1;

/**
 * Each area remembers its best partner among those after it, so that about n² pairs are compared and not n³. Areas are
 * columns, because there are millions of comparisons.
 */
class AreaMerger {
  readonly #expected: Expected;
  #size: number;
  readonly #west: Float64Array;
  readonly #south: Float64Array;
  readonly #east: Float64Array;
  readonly #north: Float64Array;
  readonly #cost: Float64Array;
  readonly #partner: Int32Array;
  /** Requests that the merge with the partner saves, at least 1. */
  readonly #saving: Float64Array;
  /** The part of that hull that is outside both areas. */
  readonly #addedDeg2: Float64Array;
  /** All pairs share one object, since allocating would dominate. */
  readonly #hull = { west: 0, south: 0, east: 0, north: 0 };

  /** @param areas do not cross 180° or exceed the contract's live limit */
  constructor(areas: readonly Bbox[], expected: Expected) {
    this.#expected = expected;
    this.#size = areas.length;
    this.#west = Float64Array.from(areas, ({ west }) => west);
    this.#south = Float64Array.from(areas, ({ south }) => south);
    this.#east = Float64Array.from(areas, ({ east }) => east);
    this.#north = Float64Array.from(areas, ({ north }) => north);
    this.#cost = Float64Array.from(areas, (area) => requestCost(expected(area)));
    this.#partner = new Int32Array(areas.length).fill(NONE);
    this.#saving = new Float64Array(areas.length);
    this.#addedDeg2 = new Float64Array(areas.length);
  }

  merged(): readonly Bbox[] {
    for (let i = 0; i < this.#size; i++) this.#findPartner(i);
    for (let i = this.#firstOfBestPair(); i !== NONE; i = this.#firstOfBestPair()) {
      this.#merge(i, this.#partner[i] as number);
    }
    return Array.from({ length: this.#size }, (_, i) => ({
      west: this.#west[i] as number,
      south: this.#south[i] as number,
      east: this.#east[i] as number,
      north: this.#north[i] as number,
    }));
  }

  #firstOfBestPair(): number {
    let best = NONE;
    for (let i = 0; i < this.#size; i++) {
      if (this.#partner[i] === NONE) continue;
      if (best === NONE || this.#isBetter(this.#saving[i] as number, this.#addedDeg2[i] as number, best)) best = i;
    }
    return best;
  }

  /** Of equal savings, the least added area leaves most room for other merges. */
  #isBetter(saving: number, addedDeg2: number, than: number): boolean {
    if (this.#partner[than] === NONE) return true;
    const other = this.#saving[than] as number;
    return saving > other || (saving === other && addedDeg2 < (this.#addedDeg2[than] as number));
  }

  #findPartner(i: number): void {
    this.#partner[i] = NONE;
    for (let j = i + 1; j < this.#size; j++) this.#offer(i, j);
  }

  #offer(i: number, j: number): void {
    const west = Math.min(this.#west[i] as number, this.#west[j] as number);
    const east = Math.max(this.#east[i] as number, this.#east[j] as number);
    if (east - west > LIVE_MAX_SPAN_DEG) return;
    const south = Math.min(this.#south[i] as number, this.#south[j] as number);
    const north = Math.max(this.#north[i] as number, this.#north[j] as number);
    if (north - south > LIVE_MAX_SPAN_DEG) return;

    // The hull costs at least as much as either area. Counting it is slow.
    const costs = (this.#cost[i] as number) + (this.#cost[j] as number);
    const savingMax = Math.min(this.#cost[i] as number, this.#cost[j] as number);
    const addedDeg2 = (east - west) * (north - south) - this.#togetherDeg2(i, j);
    if (!this.#isBetter(savingMax, addedDeg2, i)) return;
    this.#hull.west = west;
    this.#hull.south = south;
    this.#hull.east = east;
    this.#hull.north = north;
    const saving = costs - requestCost(this.#expected(this.#hull));
    if (saving < 1 || !this.#isBetter(saving, addedDeg2, i)) return;
    this.#partner[i] = j;
    this.#saving[i] = saving;
    this.#addedDeg2[i] = addedDeg2;
  }

  #togetherDeg2(i: number, j: number): number {
    const westI = this.#west[i] as number;
    const southI = this.#south[i] as number;
    const eastI = this.#east[i] as number;
    const northI = this.#north[i] as number;
    const westJ = this.#west[j] as number;
    const southJ = this.#south[j] as number;
    const eastJ = this.#east[j] as number;
    const northJ = this.#north[j] as number;
    const sharedWidth = Math.max(0, Math.min(eastI, eastJ) - Math.max(westI, westJ));
    const sharedHeight = Math.max(0, Math.min(northI, northJ) - Math.max(southI, southJ));
    return (eastI - westI) * (northI - southI) + (eastJ - westJ) * (northJ - southJ) - sharedWidth * sharedHeight;
  }

  /** The hull replaces i, and the last area replaces j, which comes after i. */
  #merge(i: number, j: number): void {
    this.#west[i] = Math.min(this.#west[i] as number, this.#west[j] as number);
    this.#south[i] = Math.min(this.#south[i] as number, this.#south[j] as number);
    this.#east[i] = Math.max(this.#east[i] as number, this.#east[j] as number);
    this.#north[i] = Math.max(this.#north[i] as number, this.#north[j] as number);
    this.#cost[i] = (this.#cost[i] as number) + (this.#cost[j] as number) - (this.#saving[i] as number);
    this.#size--;
    const last = this.#size;
    for (const column of [this.#west, this.#south, this.#east, this.#north, this.#cost]) {
      column[j] = column[last] as number;
    }
    for (let k = 0; k < this.#size; k++) {
      const partner = this.#partner[k];
      if (k === i || k === j || partner === i || partner === j || partner === last) this.#findPartner(k);
      else if (k < i) this.#offer(k, i);
    }
  }
}
