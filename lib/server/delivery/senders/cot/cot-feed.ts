import 'server-only';
import type { ConfigOf } from '#lib/api/outputs/destinations.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { Position } from '#lib/model/position.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { AreaEvent, AreaReads } from '../../../live/area-reads.ts';

export type CotPositions = NonNullable<ConfigOf<'cot'>['positions']>;

/** Whose last sent time is known. About 10 MB. */
const TRACKS_MAX = 100_000;

/** Newly received positions of the live reads. It causes no request. */
export class CotFeed {
  readonly #choice: CotPositions;
  readonly #box: Bbox | undefined;
  readonly #offer: (positions: readonly Position[]) => void;
  /** The latest last. */
  readonly #sentAt = new Map<string, UpstreamInstant>();
  readonly close: () => void;

  /** @param reads of the writer */
  constructor(reads: AreaReads, choice: CotPositions, offer: (positions: readonly Position[]) => void) {
    this.#choice = choice;
    this.#offer = offer;
    if (choice.bbox) {
      const [west, south, east, north] = choice.bbox;
      this.#box = { west, south, east, north };
    }
    this.close = reads.subscribe((event) => this.#read(event));
  }

  #read(event: AreaEvent): void {
    if (event.kind !== 'read' || !this.#choice.layers.includes(event.area.layer)) return;
    const due = event.positions.values().filter((position) => this.#isDue(position));
    const positions = Array.from(due);
    if (positions.length > 0) this.#offer(positions);
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
