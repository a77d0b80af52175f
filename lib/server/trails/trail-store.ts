import 'server-only';
import { type Bbox, intersectBbox, subtractBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, isSetBack, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { AreaEvent, AreaReads } from '../live/area-reads.ts';
import type { LiveArea } from '../live/snapshots.ts';
import { RECENT_LIMITS, RecentPositions } from './recent-positions.ts';

/** A little longer than the longest interval of the pace. */
const PAUSE_MAX_MS = 3 * MINUTE_MS;
/** More than the plans of a quarter of an hour have. */
const STRETCHES_MAX = 2000;

/** Keeps what areas were read for the trails of tracks: positions, and since when each place is followed. It requests nothing. */
export class TrailStore {
  readonly positions: RecentPositions;
  readonly times: ReadTimes;

  constructor(reads: AreaReads, limits: typeof RECENT_LIMITS = RECENT_LIMITS) {
    this.positions = new RecentPositions(limits);
    this.times = new ReadTimes(limits.keptMs);
    reads.subscribe((event) => this.#keep(event));
  }

  #keep(event: AreaEvent): void {
    const { area } = event;
    if (event.kind === 'missed') {
      this.times.missed(area, event.before);
      return;
    }
    this.positions.add(area.layer, event.positions.values(), event.readAt);
    const state = event.reception?.state;
    if (state === 'lost' || state === 'none') this.times.notReceived(area);
    else if (event.isComplete) this.times.read(area, event.readAt);
  }
}

/** A time in which an area was read without a long pause. */
interface Stretch {
  readonly area: LiveArea;
  readonly since: UpstreamInstant;
  until: UpstreamInstant;
}

/** When areas were read, and so since when the trails of a place are whole. */
export class ReadTimes {
  #stretches: readonly Stretch[] = [];
  /** The latest missed read of each area. */
  readonly #missed = new Map<string, { readonly area: LiveArea; readonly before: UpstreamInstant }>();
  readonly #keptMs: number;

  /** @param keptMs how far back `since` can reach */
  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  /** @param at time of the answer */
  read(area: LiveArea, at: UpstreamInstant): void {
    const latest = this.#stretches.findLast((stretch) => stretch.area.key === area.key);
    if (latest && !isSetBack(latest.until, at) && msBetween(latest.until, at) <= PAUSE_MAX_MS) {
      if (at > latest.until) latest.until = at;
      return;
    }
    const forgotten = addMs(at, -this.#keptMs - PAUSE_MAX_MS);
    // After the upstream's clock is set back, earlier reads have times in the future.
    const kept = this.#stretches.filter(({ until }) => until >= forgotten && !isSetBack(until, at));
    this.#stretches = [...kept, { area, since: at, until: at }].slice(-STRETCHES_MAX);
  }

  /** No receiver delivers for the area: what is read now may miss all positions. */
  notReceived(area: LiveArea): void {
    this.#stretches = this.#stretches.filter((stretch) => stretch.area.key !== area.key);
  }

  /** Another server's read, of which this server lacks some records. */
  missed(area: LiveArea, before: UpstreamInstant): void {
    const forgotten = addMs(before, -this.#keptMs);
    for (const [key, each] of this.#missed) if (each.before < forgotten) this.#missed.delete(key);
    const known = this.#missed.get(area.key);
    if (known === undefined || known.before < before) this.#missed.set(area.key, { area, before });
  }

  /** `undefined` if some place is not followed now. @param boxes none crosses 180° */
  since(layer: Layer, boxes: readonly Bbox[], now: UpstreamInstant): UpstreamInstant | undefined {
    const followed = this.#followedSince(layer, boxes, now);
    if (followed === undefined) return undefined;
    let since = followed;
    for (const { area, before } of this.#missed.values()) {
      const isSeen = area.layer === layer && boxes.some((box) => intersectBbox(box, area.bbox));
      if (isSeen && before > since) since = before;
    }
    return since;
  }

  #followedSince(layer: Layer, boxes: readonly Bbox[], now: UpstreamInstant): UpstreamInstant | undefined {
    const oldest = addMs(now, -this.#keptMs);
    const stretches = this.#stretches.filter(
      ({ area }) => area.layer === layer && boxes.some((box) => intersectBbox(box, area.bbox)),
    );
    let since: UpstreamInstant | undefined;
    // Back from one change of what is followed to the one before.
    for (let at = addMs(now, 1); at > oldest; ) {
      const followed = stretches.filter((each) => each.since < at && endOf(each) >= at);
      if (!isCovered(boxes, followed)) return since;
      let change = oldest;
      for (const each of stretches) {
        if (each.since < at && each.since > change) change = each.since;
        if (endOf(each) < at && endOf(each) > change) change = endOf(each);
      }
      since = change;
      at = change;
    }
    return since;
  }
}

/** The first instant that is not followed. */
function endOf({ until }: Stretch): UpstreamInstant {
  return addMs(until, PAUSE_MAX_MS + 1);
}

function isCovered(boxes: readonly Bbox[], followed: readonly Stretch[]): boolean {
  let left = boxes;
  for (const { area } of followed) {
    if (left.length === 0) return true;
    left = left.flatMap((box) => subtractBbox(box, area.bbox));
  }
  return left.length === 0;
}
