import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { RECEPTION_PLACES_MAX } from '#lib/contract/reception.ts';
import {
  type Bbox,
  bboxContains,
  bboxesOverlap,
  eastPastWest,
  intersectBbox,
  splitAtAntimeridian,
  subtractBbox,
} from '#lib/geo/bbox.ts';
import { compareInstants, epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import type { ReceptionNow, ReceptionSpan } from '../../sources/observation.ts';
import type { Surroundings } from '../feeds/feed.ts';
import { areaOfPart } from '../feeds/feed-kind.ts';
import type { ReceivingFeed } from '../feeds/feed-set.ts';
import { isDeafFor, type ReceptionRecord, stateOf } from './reception-record.ts';

interface ReceptionOptions {
  readonly feeds: () => readonly ReceivingFeed[];
  readonly reach: Reach;
  readonly record: ReceptionRecord;
  /** The time of the oldest recorded position, undefined if there is none. */
  readonly oldestRecordedAt: () => UpstreamInstant | undefined;
  readonly surroundings: Surroundings;
}

/** A change is announced this much later at most. */
const CHECK_EVERY_MS = SECOND_MS;
/** A killed service loses at most this. */
const STORED_EVERY_MS = MINUTE_MS;

/** Whether the receivers that could deliver a layer in a box do, now and at each past time. */
export function makeReception({ feeds, reach, record, oldestRecordedAt, surroundings }: ReceptionOptions) {
  const { now, after, calendar } = surroundings;
  const listeners = new Set<(layer: Layer) => void>();
  let known = statesOf(feeds());

  let storedAt = now();
  let wereReceiving: ReadonlySet<string> = new Set();

  function sample(): void {
    const at = now();
    const sampled = feeds()
      .filter(({ isDouble }) => !isDouble)
      .flatMap(({ id, layers, isReceiving, since, lostAt, deafSince, counts }) => {
        const whole = {
          id,
          layers,
          isReceiving,
          isDeaf: deafSince !== undefined,
          sinceMs: epochMs(calendar.wallOf(since)),
          lostMs: lostAt && epochMs(calendar.wallOf(lostAt)),
        };
        // The record knows no part of a feed: what is missing of it is another one that does not receive.
        const isPartly = isReceiving && counts !== undefined && counts.receiving < counts.receivers;
        return isPartly ? [whole, { ...whole, id: `${id}/missing`, isReceiving: false, isDeaf: false }] : [whole];
      });
    const steadyMs = epochMs(at);
    record.sample({ wallMs: epochMs(calendar.wallOf(at)), steadyMs, uptimeMs: surroundings.uptimeMs?.() }, sampled);
  }

  function check(): void {
    sample();
    const receiving = new Set<string>();
    for (const { id, isReceiving, renew } of feeds()) {
      // The connection is renewed only once, since the empty line that some programs send after a minute needs a
      // connection of a minute.
      if (!isReceiving && wereReceiving.has(id)) renew();
      if (isReceiving) receiving.add(id);
    }
    wereReceiving = receiving;
    const states = statesOf(feeds());
    const changed = LAYERS.filter((layer) => states[layer] !== known[layer]);
    known = states;
    for (const layer of changed) for (const listener of listeners) listener(layer);
    if (changed.length > 0 || msBetween(storedAt, now()) >= STORED_EVERY_MS) {
      storedAt = now();
      // It never rejects.
      void record.flush();
    }
    cancel = after(CHECK_EVERY_MS, check);
  }
  let cancel = after(CHECK_EVERY_MS, check);
  sample();

  return {
    reception(layer: Layer, bbox: Bbox): ReceptionNow {
      const all = feeds();
      const counted = reaching(reach, all, layer, bbox);
      const own = counted.filter(({ id }) => areaOfPart(id) === undefined);
      const of = (each: readonly ReceivingFeed[]) => {
        const { since, ...reception } = receptionOf(layer, each);
        return { ...reception, since: since && calendar.wallOf(since) };
      };
      if (own.length === counted.length) return of(counted);
      const boxes = cutByPlaces(bbox, all, layer, reach);
      const places = boxes.map((place) => ({ bbox: place, ...of(reaching(reach, all, layer, place)) }));
      return { ...of(counted), own: of(own), ...(places.length > 1 && { places }) };
    },
    pastReception(layer: Layer, bbox: Bbox, window: Window): readonly ReceptionSpan[] {
      sample();
      const oldest = oldestRecordedAt();
      return record.stretches(layer, window, {
        counts: (ids) => reachingIds(reach, ids, layer, bbox),
        oldestRecordedMs: oldest && epochMs(oldest),
      });
    },
    onChange: (listener: (layer: Layer) => void) => void listeners.add(listener),
    close(): Promise<void> {
      cancel();
      sample();
      return record.flush();
    },
  };
}

function reaching(reach: Reach, feeds: readonly ReceivingFeed[], layer: Layer, bbox: Bbox): readonly ReceivingFeed[] {
  const able = feeds.filter(({ layers, isDouble }) => layers.includes(layer) && !isDouble);
  const ids = reachingIds(
    reach,
    able.map(({ id }) => id),
    layer,
    bbox,
  );
  return worstParts(able.filter(({ id }) => ids.has(id)));
}

/** Of several parts of a feed in a box, the one that misses most: they may be the same receivers. */
function worstParts(feeds: readonly ReceivingFeed[]): readonly ReceivingFeed[] {
  const worst = new Map<string, ReceivingFeed>();
  for (const feed of feeds) {
    const [name = feed.id] = feed.id.split('/');
    const other = worst.get(name);
    if (!other || missingPart(feed) > missingPart(other)) worst.set(name, feed);
  }
  return [...worst.values()];
}

function missingPart(feed: FeedNow): number {
  const { receivers, receiving } = countsOf(feed);
  return (receivers - receiving) / receivers;
}

/**
 * The feeds that count for a layer and box. One whose reach clearly lies elsewhere does not, if another's touches the
 * box; if no known reach does, all count.
 */
function reachingIds(reach: Reach, able: readonly string[], layer: Layer, bbox: Bbox): ReadonlySet<string> {
  const within = able.filter((id) => isWithin(id, bbox));
  const touches = within.map((id) => areaOfPart(id) !== undefined || reach.touches(id, layer, bbox));
  return new Set(touches.includes(true) ? within.filter((_, index) => touches[index] !== false) : within);
}

/**
 * Boxes that fill the box, each wholly within or outside every area of other services. So it is with the reach of the own
 * receivers, where that of each is known. One box, if they would be too many.
 */
function cutByPlaces(bbox: Bbox, feeds: readonly ReceivingFeed[], layer: Layer, reach: Reach): readonly Bbox[] {
  const able = feeds.filter(({ layers, isDouble }) => layers.includes(layer) && !isDouble).map(({ id }) => id);
  const areas = able.flatMap((id) => areaOfPart(id) ?? []);
  const own = able.filter((id) => areaOfPart(id) === undefined).map((id) => reach.usualBox(id, layer));
  let pieces = splitAtAntimeridian(bbox);
  for (const area of [...areas, boxAround(own) ?? []].flat()) {
    pieces = pieces.flatMap((piece) => [intersectBbox(piece, area) ?? [], subtractBbox(piece, area)].flat());
    if (pieces.length > RECEPTION_PLACES_MAX) return [bbox];
  }
  return pieces;
}

/** `undefined` if one is, or there is none. No box crosses 180°. */
function boxAround(boxes: readonly (Bbox | undefined)[]): Bbox | undefined {
  if (boxes.length === 0) return undefined;
  return boxes.reduce((around, box) =>
    around && box
      ? {
          west: Math.min(around.west, box.west),
          south: Math.min(around.south, box.south),
          east: Math.max(around.east, box.east),
          north: Math.max(around.north, box.north),
        }
      : undefined,
  );
}

/** Whether a part delivers in the box: its area is set. */
function isWithin(id: string, bbox: Bbox): boolean {
  const area = areaOfPart(id);
  return area === undefined || bboxesOverlap(area, bbox);
}

type FeedNow = Pick<ReceivingFeed, 'isReceiving' | 'since' | 'deafSince' | 'counts'>;

/**
 * `since`: `ok` when all were back. `partly` at the last message of the first missing one, or when the first deaf one was
 * found. `lost` at the last message of the last.
 */
function receptionOf(layer: Layer, feeds: readonly FeedNow[]): ReceptionNow {
  const counted = feeds.map((feed) => ({ ...feed, ...countsOf(feed) }));
  const missing = counted.filter(({ receivers, receiving }) => receiving < receivers);
  const deaf = feeds.flatMap(({ isReceiving, deafSince }) =>
    isReceiving && isDeafFor(layer, { isDeaf: deafSince !== undefined }) ? [deafSince!] : [],
  );
  const sum = (name: 'receivers' | 'receiving') => counted.reduce((total, each) => total + each[name], 0);
  const counts = { receivers: sum('receivers'), receiving: sum('receiving'), deaf: deaf.length || undefined };
  const state = stateOf(counts.receivers, counts.receivers - counts.receiving, deaf.length);
  const worse = [...missing.map(({ since }) => since), ...(state === 'partly' ? deaf : [])];
  const times = (state === 'ok' || state === 'none' ? feeds.map(({ since }) => since) : worse).toSorted(
    compareInstants,
  );
  return { state, since: times.at(state === 'partly' ? 0 : -1), ...counts };
}

function countsOf({ isReceiving, counts }: FeedNow) {
  return counts ?? { receivers: 1, receiving: isReceiving ? 1 : 0 };
}

function statesOf(feeds: readonly ReceivingFeed[]): Readonly<Record<Layer, string>> {
  const of = (layer: Layer) =>
    feeds
      .filter(({ layers }) => layers.includes(layer))
      .map((feed) => `${feed.id} ${Object.values(countsOf(feed))} ${feed.isDouble} ${feed.deafSince}`)
      .join('\n');
  return { rid: of('rid'), adsb: of('adsb') };
}

/** A cell is 280 km high: a box that lies in none of these cells and in none next to them is clearly elsewhere. */
const CELL_DEG = 2.5;
const COLUMNS = 360 / CELL_DEG;
const ROWS = 180 / CELL_DEG;
/** Fewer positions may be of the one track that just passes, or a wrong one. */
const POSITIONS_MIN = 20;

interface Positions {
  readonly cells: Uint8Array;
  count: number;
  /** Outside the usual box. */
  beyond: { readonly box: Bbox | undefined; count: number };
}

/** Where each feed hears: in the places of the days before, and the cells since the start (10 KB a feed and layer). */
export class Reach {
  readonly #positions = new Map<string, Positions>();
  readonly #usualBox: (feed: string) => Bbox | undefined;

  /** @param usualBox outside which a feed hears no aircraft; undefined: not known */
  constructor(usualBox: (feed: string) => Bbox | undefined = () => undefined) {
    this.#usualBox = usualBox;
  }

  /** `undefined` also once the feed has positions beyond: it may have been moved. */
  usualBox(feed: string, layer: Layer): Bbox | undefined {
    // A receiver of both may have an antenna for drones only.
    const box = layer === 'adsb' ? this.#usualBox(feed) : undefined;
    const beyond = this.#positions.get(`${layer} ${feed}`)?.beyond;
    return box && beyond?.box === box && beyond.count >= POSITIONS_MIN ? undefined : box;
  }

  note(feed: string, layer: Layer, lon: number, lat: number): void {
    const key = `${layer} ${feed}`;
    let positions = this.#positions.get(key);
    if (!positions) {
      positions = { cells: new Uint8Array(COLUMNS * ROWS), count: 0, beyond: { box: undefined, count: 0 } };
      this.#positions.set(key, positions);
    }
    positions.count += 1;
    const box = layer === 'adsb' ? this.#usualBox(feed) : undefined;
    if (box !== positions.beyond.box) positions.beyond = { box, count: 0 };
    if (box && !bboxContains(box, lon, lat)) positions.beyond.count += 1;
    positions.cells[rowOf(lat) * COLUMNS + columnOf(lon)] = 1;
  }

  /**
   * Whether the feed usually hears in the box, or had positions near it where its usual is not known; undefined while too
   * few are known. A live request's box has at most 225 cells.
   */
  touches(feed: string, layer: Layer, bbox: Bbox): boolean | undefined {
    const usual = this.usualBox(feed, layer);
    if (usual) return bboxesOverlap(usual, bbox);
    const positions = this.#positions.get(`${layer} ${feed}`);
    if (!positions || positions.count < POSITIONS_MIN) return undefined;
    const east = eastPastWest(bbox);
    const [first, last] = [Math.floor(bbox.west / CELL_DEG) - 1, Math.floor(east / CELL_DEG) + 1];
    const columns = Math.min(COLUMNS, last - first + 1);
    const [bottom, top] = [Math.max(0, rowOf(bbox.south) - 1), Math.min(ROWS - 1, rowOf(bbox.north) + 1)];
    for (let row = bottom; row <= top; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        if (positions.cells[row * COLUMNS + wrapped(first + column + COLUMNS / 2)] === 1) return true;
      }
    }
    return false;
  }
}

function rowOf(lat: number): number {
  return Math.min(ROWS - 1, Math.floor((lat + 90) / CELL_DEG));
}

function columnOf(lon: number): number {
  return wrapped(Math.floor((lon + 180) / CELL_DEG));
}

function wrapped(column: number): number {
  return ((column % COLUMNS) + COLUMNS) % COLUMNS;
}
