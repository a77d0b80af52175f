import 'server-only';
import { randomUUID } from 'node:crypto';
import type { ConfigOf } from '#lib/api/outputs/destinations.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { RECEPTION_EVERY_MS, receptionEvent } from '#lib/outputs/cot-events.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { AreaEvent, AreaReads } from '../../../live/area-reads.ts';
import type { Area } from '../../../live/snapshots.ts';
import { worstReception } from '../../../live/worst-reception.ts';

export type CotPositions = NonNullable<ConfigOf<'cot'>['positions']>;

/** Whose last sent time is known. About 10 MB. */
const TRACKS_MAX = 100_000;

/** Areas that nothing reads any more say nothing of the receivers. */
const RECEPTION_KEPT_MS = MINUTE_MS;

interface CotTarget {
  offer(positions: readonly Position[]): void;
  offerState(uid: string, xml: string): void;
}

interface KnownReception {
  readonly reception: Reception;
  readonly readAt: UpstreamInstant;
}

/** Newly received positions of the live reads, and alarms while a layer has no receiver. It causes no request. */
export class CotFeed {
  readonly #choice: CotPositions;
  readonly #box: Bbox | undefined;
  readonly #target: CotTarget;
  /** Another Lookout may send to the same server. */
  readonly #name = randomUUID();
  readonly #receptions: Readonly<Record<Layer, Map<string, KnownReception>>> = { rid: new Map(), adsb: new Map() };
  /** When the alarm of a layer was sent last. */
  readonly #lostSaidAt = new Map<Layer, UpstreamInstant>();
  /** The latest last. */
  readonly #sentAt = new Map<string, UpstreamInstant>();
  readonly close: () => void;

  /** @param reads of the writer */
  constructor(reads: AreaReads, choice: CotPositions, target: CotTarget) {
    this.#choice = choice;
    this.#target = target;
    if (choice.bbox) {
      const [west, south, east, north] = choice.bbox;
      this.#box = { west, south, east, north };
    }
    this.close = reads.subscribe((event) => this.#read(event));
  }

  #read(event: AreaEvent): void {
    if (event.kind !== 'read' || !this.#choice.layers.includes(event.area.layer)) return;
    if (event.reception) this.#received(event.area, { reception: event.reception, readAt: event.readAt });
    const due = event.positions.values().filter((position) => this.#isDue(position));
    const positions = Array.from(due);
    if (positions.length > 0) this.#target.offer(positions);
  }

  #received({ layer, key, bbox }: Area, known: KnownReception): void {
    const box = this.#box;
    if (box && !splitAtAntimeridian(box).some((part) => intersectBbox(part, bbox))) return;
    const areas = this.#receptions[layer];
    areas.set(key, known);
    const { readAt: at } = known;
    for (const [each, { readAt }] of areas) if (msBetween(readAt, at) > RECEPTION_KEPT_MS) areas.delete(each);
    const worst = worstReception(areas.values().map(({ reception }) => reception));
    if (!worst) return;
    const saidAt = this.#lostSaidAt.get(layer);
    const isLost = worst.state === 'lost';
    if (isLost ? saidAt !== undefined && msBetween(saidAt, at) < RECEPTION_EVERY_MS : saidAt === undefined) return;
    if (isLost) this.#lostSaidAt.set(layer, at);
    else this.#lostSaidAt.delete(layer);
    const uid = `lookout-${layer}-${this.#name}`;
    this.#target.offerState(uid, receptionEvent({ uid, layer, reception: worst, at }));
  }

  /** In observed time. */
  #isDue({ ref, lon, lat, observedAt }: Position): boolean {
    if (this.#box && !bboxContains(this.#box, lon, lat)) return false;
    const sent = this.#sentAt.get(ref);
    if (sent !== undefined && msBetween(sent, observedAt) < this.#choice.every_s * SECOND_MS) return false;
    this.#sentAt.delete(ref);
    this.#sentAt.set(ref, observedAt);
    if (this.#sentAt.size > TRACKS_MAX) this.#sentAt.delete(this.#sentAt.keys().next().value ?? '');
    return true;
  }
}
