import { type Bbox, intersectBbox, subtractBbox } from '#lib/geo/bbox.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import {
  PARTLY_MAX_MS,
  type Reported,
  reportedBetween,
  WATCHED_MAX_MS,
} from '#lib/zones/stretches/watched-reception.ts';
import { UNITS_A_DEGREE, type UnitBox } from './cells.ts';

export interface WatchedBox {
  readonly box: UnitBox;
  readonly watchedS: number;
  readonly partlyS: number;
}

const WATCHED_BOXES_MAX = 2048;
const AREAS_MAX = 512;
/** Counted times of a place. Older ones stay as they were counted, even if its receivers turn out to have been missing. */
const COUNTED_MAX = 32;

interface Counted {
  readonly fromMs: number;
  readonly toMs: number;
  readonly as: 'watchedMs' | 'partlyMs';
}

/** A box within which every place was read at the same times. */
interface Place {
  readonly box: UnitBox;
  /** NaN before the first read. */
  lastMs: number;
  /** Times in this hour and the one before. */
  readonly watchedMs: [number, number];
  readonly partlyMs: [number, number];
  /** The counted times of both hours, in order. */
  counted: readonly Counted[];
  /** The reception that the last read reported. */
  reported: Reported | undefined;
}

/** Where and how long a layer was watched, by hour. Boxes do not overlap. */
export class WatchedBoxes {
  readonly #boxesMax: number;
  #places: readonly Place[] = [];
  /** The places of each area, until places change. */
  readonly #areas = new Map<string, readonly Place[]>();
  #hourMs = Number.NEGATIVE_INFINITY;
  /** Whether watched time was forgotten, in this hour and the one before. */
  #isCut: [boolean, boolean] = [false, false];

  constructor(boxesMax: number = WATCHED_BOXES_MAX) {
    this.#boxesMax = boxesMax;
  }

  /** A whole area was read. @param key of the area @param reported as the upstream reports its receivers */
  read(key: string, bbox: Bbox, readMs: number, reported?: Reported): void {
    this.#passTo(readMs);
    for (const place of this.#areas.get(key) ?? this.#placesOf(key, bbox)) {
      // A read that was overtaken adds nothing.
      if (readMs <= place.lastMs) continue;
      this.#watched(place, readMs, reported);
      place.lastMs = readMs;
      place.reported = reported;
    }
  }

  of(hourMs: number): readonly WatchedBox[] {
    const index = this.#indexOf(hourMs);
    if (index === undefined) return [];
    const seconds = this.#places.flatMap(({ box, watchedMs, partlyMs }) => {
      const [watchedS, partlyS] = [Math.round(watchedMs[index] / 1000), Math.round(partlyMs[index] / 1000)];
      return watchedS + partlyS > 0 ? [{ box, watchedS, partlyS }] : [];
    });
    return joinedBoxes(seconds, (one, other) => one.watchedS === other.watchedS && one.partlyS === other.partlyS);
  }

  isCut(hourMs: number): boolean {
    const index = this.#indexOf(hourMs);
    return index !== undefined && this.#isCut[index];
  }

  /** @param hours from an earlier process */
  restore(hourMs: number, boxes: readonly WatchedBox[], isCut: boolean): void {
    this.#passTo(hourMs);
    const index = this.#indexOf(hourMs);
    if (index === undefined) return;
    this.#isCut[index] ||= isCut;
    for (const { box, watchedS, partlyS } of boxes) {
      for (const place of this.#cut(box)) {
        place.watchedMs[index] += watchedS * 1000;
        place.partlyMs[index] += partlyS * 1000;
      }
    }
  }

  #indexOf(hourMs: number): 0 | 1 | undefined {
    if (hourMs === this.#hourMs) return 0;
    return hourMs === this.#hourMs - HOUR_MS ? 1 : undefined;
  }

  #watched(place: Place, readMs: number, reported: Reported | undefined): void {
    const { lastMs } = place;
    if (Number.isNaN(lastMs)) return;
    const gapMs = readMs - lastMs;
    const as = gapMs <= WATCHED_MAX_MS ? 'watchedMs' : 'partlyMs';
    for (const { fromMs, toMs, state } of reportedBetween(place.reported, reported, lastMs, readMs)) {
      if (fromMs < lastMs) this.#correct(place, fromMs, state === 'partly');
      if (state === 'not_watched' || gapMs > PARTLY_MAX_MS) continue;
      this.#count(place, { fromMs: Math.max(fromMs, lastMs), toMs, as: state === 'partly' ? 'partlyMs' : as });
    }
  }

  /** Takes back time that was counted as watched: the receivers were missing since then. */
  #correct(place: Place, sinceMs: number, isPartly: boolean): void {
    const wrong = place.counted.filter(({ toMs, as }) => toMs > sinceMs && !(isPartly && as === 'partlyMs'));
    for (const each of wrong) {
      const since = { ...each, fromMs: Math.max(each.fromMs, sinceMs) };
      this.#add(place, since, -1);
      if (isPartly) this.#add(place, { ...since, as: 'partlyMs' }, 1);
    }
    place.counted = place.counted.flatMap((each): readonly Counted[] => {
      if (!wrong.includes(each)) return [each];
      const before = each.fromMs < sinceMs ? [{ ...each, toMs: sinceMs }] : [];
      return isPartly ? [...before, { ...each, fromMs: Math.max(each.fromMs, sinceMs), as: 'partlyMs' }] : before;
    });
  }

  #count(place: Place, counted: Counted): void {
    this.#add(place, counted, 1);
    const last = place.counted.at(-1);
    const goesOn = last?.toMs === counted.fromMs && last.as === counted.as;
    place.counted = goesOn
      ? [...place.counted.slice(0, -1), { ...last, toMs: counted.toMs }]
      : [...place.counted, counted].slice(-COUNTED_MAX);
  }

  #add(place: Place, { fromMs, toMs, as }: Counted, sign: 1 | -1): void {
    const within = (startMs: number, endMs: number) => Math.max(0, Math.min(toMs, endMs) - Math.max(fromMs, startMs));
    place[as][1] += sign * within(this.#hourMs - HOUR_MS, this.#hourMs);
    place[as][0] += sign * within(this.#hourMs, Number.POSITIVE_INFINITY);
  }

  #passTo(atMs: number): void {
    const hourMs = Math.floor(atMs / HOUR_MS) * HOUR_MS;
    if (hourMs <= this.#hourMs) return;
    const isNext = hourMs === this.#hourMs + HOUR_MS;
    this.#hourMs = hourMs;
    this.#isCut = [false, isNext && this.#isCut[0]];
    for (const place of this.#places) {
      const { watchedMs, partlyMs } = place;
      place.counted = place.counted.filter(({ toMs }) => toMs > hourMs - HOUR_MS);
      watchedMs[1] = isNext ? watchedMs[0] : 0;
      partlyMs[1] = isNext ? partlyMs[0] : 0;
      watchedMs[0] = partlyMs[0] = 0;
    }
    this.#change(this.#places.filter((place) => totalMs(place) > 0 || atMs - place.lastMs <= PARTLY_MAX_MS));
  }

  #placesOf(key: string, { west, south, east, north }: Bbox): readonly Place[] {
    const inner: UnitBox = {
      west: Math.ceil((west + 180) * UNITS_A_DEGREE),
      south: Math.ceil((south + 90) * UNITS_A_DEGREE),
      east: Math.floor((east + 180) * UNITS_A_DEGREE),
      north: Math.floor((north + 90) * UNITS_A_DEGREE),
    };
    if (this.#places.length > this.#boxesMax) this.#forget();
    const places = inner.west < inner.east && inner.south < inner.north ? this.#cut(inner) : [];
    if (this.#areas.size >= AREAS_MAX) this.#areas.clear();
    this.#areas.set(key, places);
    return places;
  }

  /** Cuts the places at the edges of the box. @returns those in it, which fill it */
  #cut(box: UnitBox): readonly Place[] {
    const inside: Place[] = [];
    const outside: Place[] = [];
    let missing: readonly UnitBox[] = [box];
    for (const place of this.#places) {
      const shared = intersectBbox(place.box, box);
      if (!shared) {
        outside.push(place);
        continue;
      }
      missing = missing.flatMap((part) => subtractBbox(part, shared));
      const rest = subtractBbox(place.box, box);
      inside.push(rest.length === 0 ? place : partOf(place, shared));
      outside.push(...rest.map((part) => partOf(place, part)));
    }
    for (const part of missing) {
      const unread = { lastMs: Number.NaN, counted: [], reported: undefined };
      inside.push({ box: part, ...unread, watchedMs: [0, 0], partlyMs: [0, 0] });
    }
    if (inside.length + outside.length !== this.#places.length || missing.length > 0) {
      this.#areas.clear();
      this.#places = [...inside, ...outside];
    }
    return inside;
  }

  /** Joins what was read alike, and then forgets what was watched least. */
  #forget(): void {
    const joined = joinedBoxes(this.#places, isAlike).toSorted((one, other) => totalMs(other) - totalMs(one));
    this.#areas.clear();
    this.#places = joined.slice(0, Math.floor(this.#boxesMax / 2));
    for (const { watchedMs, partlyMs } of joined.slice(this.#places.length)) {
      this.#isCut[0] ||= watchedMs[0] + partlyMs[0] > 0;
      this.#isCut[1] ||= watchedMs[1] + partlyMs[1] > 0;
    }
  }

  #change(places: readonly Place[]): void {
    this.#areas.clear();
    this.#places = joinedBoxes(places, isAlike);
  }
}

function partOf({ watchedMs, partlyMs, ...place }: Place, box: UnitBox): Place {
  return { ...place, box, watchedMs: [...watchedMs], partlyMs: [...partlyMs] };
}

function totalMs({ watchedMs, partlyMs }: Place): number {
  return watchedMs[0] + watchedMs[1] + partlyMs[0] + partlyMs[1];
}

function isAlike(one: Place, other: Place): boolean {
  return (
    Object.is(one.lastMs, other.lastMs) &&
    one.reported?.state === other.reported?.state &&
    one.reported?.sinceMs === other.reported?.sinceMs &&
    one.counted.length === other.counted.length &&
    one.counted.every((each, index) => isSame(each, other.counted[index])) &&
    one.watchedMs.every((ms, index) => ms === other.watchedMs[index]) &&
    one.partlyMs.every((ms, index) => ms === other.partlyMs[index])
  );
}

function isSame({ fromMs, toMs, as }: Counted, other: Counted | undefined): boolean {
  return fromMs === other?.fromMs && toMs === other.toMs && as === other.as;
}

interface Boxed {
  readonly box: Bbox;
}

/** Joins neighbours that are alike into larger boxes: along rows, then along columns. */
function joinedBoxes<Item extends Boxed>(
  items: readonly Item[],
  isAlike: (one: Item, other: Item) => boolean,
): readonly Item[] {
  const along = joinedAlong(items, isAlike, 'south', 'north', 'west', 'east');
  return joinedAlong(along, isAlike, 'west', 'east', 'south', 'north');
}

type Edge = keyof Bbox;

function joinedAlong<Item extends Boxed>(
  items: readonly Item[],
  isAlike: (one: Item, other: Item) => boolean,
  ...[low, high, start, end]: [Edge, Edge, Edge, Edge]
): readonly Item[] {
  const ordered = items.toSorted(
    ({ box: one }, { box: other }) => one[low] - other[low] || one[high] - other[high] || one[start] - other[start],
  );
  const joined: Item[] = [];
  for (const item of ordered) {
    const last = joined.at(-1);
    const isNext =
      last !== undefined &&
      last.box[low] === item.box[low] &&
      last.box[high] === item.box[high] &&
      last.box[end] === item.box[start];
    if (isNext && isAlike(last, item))
      joined[joined.length - 1] = { ...last, box: { ...last.box, [end]: item.box[end] } };
    else joined.push(item);
  }
  return joined;
}
