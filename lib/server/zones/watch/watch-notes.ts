import 'server-only';
import { type Bbox, intersectBbox, subtractBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { type Reception, receptionByPlace } from '#lib/model/reception.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { WatchedStretch } from '#lib/zones/alarm.ts';
import type { WatchedNote } from '#lib/zones/evaluation/transition.ts';
import { type MergedStretch, WATCHED_RANK } from '#lib/zones/stretches/merged-stretches.ts';
import {
  isReceptionReason,
  isWithoutReceiver,
  PARTLY_MAX_MS,
  type Reported,
  reportedBetween,
  reportedOver,
  WATCHED_MAX_MS,
} from '#lib/zones/stretches/watched-reception.ts';
import type { LiveArea } from '../../live/snapshots.ts';
import { type CurrentZone, isReadAt } from '../current-zones.ts';
import { zoneBoxes } from '../zone-boxes.ts';

const PARTS_MAX = 64;

export type UnwatchedReason = NonNullable<WatchedStretch['reason']>;

interface PartRead {
  readonly bbox: Bbox;
  readonly readMs: number;
  readonly reception: Reception | undefined;
}

interface Watched {
  readonly zone: CurrentZone;
  readonly layer: Layer;
  readonly boxes: readonly Bbox[];
  /** The newest read is first. */
  reads: readonly PartRead[];
  /** Notes exist up to then; `undefined` outside its hours. */
  notedMs: number | undefined;
  /** Whether it was read, or noted as unread, within its hours. */
  hasBegun: boolean;
  /** Whether it was noted as not watched since. */
  isLost: boolean;
  reason: UnwatchedReason | undefined;
  /** Why a read since was incomplete. */
  incomplete: UnwatchedReason | undefined;
  /** The reception that was reported at `notedMs`. */
  reported: Reported | undefined;
}

/** Why a box is not read; `undefined` where it is. */
export type WhyUnread = (layer: Layer, box: Bbox) => UnwatchedReason | undefined;

export class WatchNotes {
  #watched: ReadonlyMap<string, Watched> = new Map();

  /** A new revision may lie elsewhere: earlier reads don't count. */
  setZones(zones: readonly CurrentZone[]): void {
    const next = new Map<string, Watched>();
    for (const zone of zones) {
      for (const [layer, boxes] of Map.groupBy(zoneBoxes(zone), ({ layer }) => layer)) {
        const key = keyOf(zone.id, layer);
        const known = this.#watched.get(key);
        if (known?.zone.revision === zone.revision) next.set(key, known);
        else
          next.set(key, {
            zone,
            layer,
            boxes: boxes.map(({ bbox }) => bbox),
            reads: [],
            notedMs: known?.notedMs,
            hasBegun: known?.hasBegun ?? false,
            isLost: known?.isLost ?? false,
            reason: known?.reason,
            incomplete: undefined,
            reported: known?.reported,
          });
      }
    }
    this.#watched = next;
  }

  /** @param last the latest note @param reason why nothing was read since */
  resume(
    last: Pick<WatchedNote, 'zoneId' | 'layer' | 'state' | 'reason'> & { readonly toMs: number },
    reason: UnwatchedReason,
  ): void {
    const watched = this.#watched.get(keyOf(last.zoneId, last.layer));
    if (!watched) return;
    watched.notedMs = last.toMs;
    watched.hasBegun = true;
    watched.reason = reason;
    if (isReceptionReason(last.reason))
      watched.reported = { state: last.state, reason: last.reason, sinceMs: undefined };
  }

  /**
   * @param incomplete why the service had more than it returned
   * @returns in order; a note of earlier time corrects what was noted as better
   */
  read(
    area: LiveArea,
    readAt: UpstreamInstant,
    incomplete: UnwatchedReason | undefined,
    reception?: Reception,
  ): readonly WatchedNote[] {
    const readMs = epochMs(readAt);
    return this.#over(area).flatMap((watched) => {
      if (incomplete !== undefined && !isWithoutReceiver(reception)) {
        watched.incomplete = incomplete;
        return [];
      }
      for (const place of receptionByPlace(reception, area.bbox)) {
        if (watched.boxes.some((box) => intersectBbox(box, place.bbox)))
          watched.reads = withRead(watched.reads, { ...place, readMs });
      }
      const oldest = lastNeeded(watched.boxes, watched.reads);
      if (!oldest) return [];
      watched.reads = watched.reads.slice(0, watched.reads.indexOf(oldest) + 1);
      return this.#noteRead(watched, oldest.readMs, reportedOver(watched.reads.map((read) => read.reception)));
    });
  }

  pass(now: UpstreamInstant, whyUnread: WhyUnread): readonly WatchedNote[] {
    const nowMs = epochMs(now);
    return [...this.#watched.values()].flatMap((watched) => {
      const { notedMs, zone, layer, boxes } = watched;
      if (!isReadAt(zone, now)) {
        Object.assign(watched, {
          notedMs: undefined,
          hasBegun: false,
          reads: [],
          isLost: false,
          reason: undefined,
          reported: undefined,
        });
        return [];
      }
      if (notedMs === undefined) watched.notedMs = nowMs;
      if (notedMs === undefined || nowMs - notedMs <= WATCHED_MAX_MS) return [];
      for (const box of boxes) watched.reason = whyUnread(layer, box) ?? watched.reason;
      if (!watched.isLost && nowMs - notedMs <= PARTLY_MAX_MS) return [];
      watched.isLost = true;
      watched.hasBegun = true;
      return this.#note(watched, nowMs, { state: 'not_watched', reason: watched.reason ?? 'upstream' });
    });
  }

  #noteRead(watched: Watched, coveredMs: number, reported: Reported | undefined): readonly WatchedNote[] {
    const { notedMs, hasBegun } = watched;
    if (!hasBegun || notedMs === undefined) {
      Object.assign(watched, { notedMs: coveredMs, hasBegun: true, reported });
      return [];
    }
    const toMs = Math.max(coveredMs, notedMs);
    const reportedSince = reportedBetween(watched.reported, reported, notedMs, toMs);
    watched.reported = reported;
    const earlier = reportedSince.filter(({ fromMs }) => fromMs < notedMs);
    const corrections = earlier.map((stretch) => noteOf(watched, { ...stretch, toMs: notedMs }));
    if (coveredMs <= notedMs) return corrections;
    const read = stateOfGap(watched, coveredMs - notedMs);
    Object.assign(watched, { isLost: false, reason: undefined, incomplete: undefined });
    return [
      ...corrections,
      ...reportedSince.flatMap((stretch) => {
        const isReportedWorse = stretch.reason !== null && WATCHED_RANK[stretch.state] <= WATCHED_RANK[read.state];
        return this.#note(watched, stretch.toMs, isReportedWorse ? stretch : read);
      }),
    ];
  }

  #note(
    watched: Watched,
    toMs: number,
    { state, reason }: Pick<WatchedStretch, 'state' | 'reason'>,
  ): readonly WatchedNote[] {
    const fromMs = watched.notedMs ?? toMs;
    watched.notedMs = toMs;
    return [noteOf(watched, { fromMs, toMs, state, reason })];
  }

  #over({ layer, bbox }: LiveArea): readonly Watched[] {
    return [...this.#watched.values()].filter(
      (watched) => watched.layer === layer && watched.boxes.some((box) => intersectBbox(box, bbox) !== undefined),
    );
  }
}

/** The state between two reads that followed each other. */
function stateOfGap({ isLost, reason, incomplete }: Watched, gapMs: number): Pick<WatchedStretch, 'state' | 'reason'> {
  if (isLost || gapMs > PARTLY_MAX_MS) return { state: 'not_watched', reason: reason ?? incomplete ?? 'allowance' };
  // A read repeated in time left nothing out.
  if (gapMs <= WATCHED_MAX_MS) return { state: 'watched', reason: null };
  return { state: 'partly', reason: incomplete ?? reason ?? 'allowance' };
}

function noteOf({ zone, layer }: Watched, { fromMs, toMs, state, reason }: MergedStretch): WatchedNote {
  return { zoneId: zone.id, layer, from: upstreamInstant(fromMs), to: upstreamInstant(toMs), state, reason };
}

function keyOf(zoneId: string, layer: string): string {
  return `${zoneId} ${layer}`;
}

function withRead(reads: readonly PartRead[], read: PartRead): readonly PartRead[] {
  const same = reads.find(({ bbox }) => sameBox(bbox, read.bbox));
  if (same && same.readMs >= read.readMs) return reads;
  const others = reads.filter((each) => each !== same);
  return [...others, read].sort((a, b) => b.readMs - a.readMs).slice(0, PARTS_MAX);
}

function sameBox(a: Bbox, b: Bbox): boolean {
  return a.west === b.west && a.south === b.south && a.east === b.east && a.north === b.north;
}

/** The oldest of the newest reads that cover the boxes. */
function lastNeeded(boxes: readonly Bbox[], newestFirst: readonly PartRead[]): PartRead | undefined {
  let missing = boxes;
  return newestFirst.find(({ bbox }) => {
    missing = missing.flatMap((part) => subtractBbox(part, bbox));
    return missing.length === 0;
  });
}
