import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { hash53 } from '#lib/model/hash53.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Reported } from '#lib/zones/stretches/watched-reception.ts';
import { countedKind, cutOnUnits, type UnitBox, unitBoxAround } from './cells.ts';
import { UnbrokenReads } from './followed-steps.ts';
import { restoreHour, type StoredHour, writeHashes, writeHour } from './hour-body.ts';
import { HourTally, TALLY_LIMITS, type TallyLimits } from './hour-tally.ts';
import { WatchedBoxes } from './watched-boxes.ts';

/** An hour is open for this long after its end. */
export const OPEN_MS = 5 * MINUTE_MS;
/** Positions may be this far ahead, since the clocks of upstream and receivers differ. */
const AHEAD_MS = MINUTE_MS;
/** Closed hours, while they cannot be stored. Older ones are lost, and count as not watched. */
const PENDING_MAX = 4;

export interface TalliedRead {
  readonly key: string;
  readonly bbox: Bbox;
  readonly positions: ReadonlyMap<string, Position>;
  readonly readMs: number;
  readonly isComplete: boolean;
  /** The reception that the upstream reports. */
  readonly reported?: Reported | undefined;
  /** The same by place, where it is not alike in the whole area. */
  readonly places?: readonly { readonly bbox: Bbox; readonly reported: Reported | undefined }[] | undefined;
}

export interface HourToStore {
  readonly layer: Layer;
  readonly hourMs: number;
  readonly untilMs: number;
  readonly size: number;
  readonly sampling: number;
  /** `undefined`: nothing was watched or received. */
  readonly extent: UnitBox | undefined;
  readonly body: Uint8Array;
  /** `undefined` for a closed hour. */
  readonly references: Uint8Array | undefined;
}

export interface OpenHour {
  readonly hourMs: number;
  readonly untilMs: number;
  readonly hour: StoredHour;
  readonly references: Uint8Array;
}

/** The running tally of a layer. It keeps no reference, only hashes while an hour is open. */
export class LayerTally {
  readonly #layer: Layer;
  readonly #limits: TallyLimits;
  readonly #watched: WatchedBoxes;
  readonly #unbroken = new UnbrokenReads();
  readonly #hours = new Map<number, HourTally>();
  readonly #changed = new Set<number>();
  /** The last closed tally, which knows late positions from repeated ones. */
  #closed: { readonly hourMs: number; readonly tally: HourTally } | undefined;
  /** The last hour that was closed. */
  #closedMs: number;
  #pending: readonly HourToStore[] = [];
  #nowMs = Number.NEGATIVE_INFINITY;
  #readMs = 0;

  /** @param closedMs the last hour that is closed in the store */
  constructor(
    layer: Layer,
    closedMs = Number.NEGATIVE_INFINITY,
    limits: TallyLimits = TALLY_LIMITS,
    boxesMax?: number,
  ) {
    this.#layer = layer;
    this.#limits = limits;
    this.#closedMs = closedMs;
    this.#watched = new WatchedBoxes(boxesMax);
  }

  get readMs(): number {
    return this.#readMs;
  }

  /** Restores an open hour. Hours come in order of time, before anything is read. */
  restore({ hourMs, untilMs, hour, references }: OpenHour): void {
    const tally = new HourTally(this.#layer, this.#limits);
    restoreHour(tally, hour, references, hourMs);
    this.#hours.set(hourMs, tally);
    this.#changed.add(hourMs);
    this.#watched.restore(hourMs, hour.watched, hour.isCut);
    this.#readMs = Math.max(this.#readMs, Math.min(untilMs, hourMs + HOUR_MS));
  }

  read({ key, bbox, positions, readMs, isComplete, reported, places = [{ bbox, reported }] }: TalliedRead): void {
    // Hours close before watched time passes to the next hour.
    this.#pass(readMs);
    this.#readMs = Math.max(this.#readMs, readMs);
    const currentMs = hourOf(this.#nowMs);
    // Without a receiver, even an incomplete read leaves nothing out.
    for (const place of places) {
      const box = cutOnUnits(place.bbox, bbox);
      if (isComplete || place.reported?.state === 'not_watched')
        this.#watched.read(`${key} ${formatBbox(box)}`, box, readMs, place.reported);
    }
    const area = this.#unbroken.read({ key, bbox, readMs, isComplete, reported });
    this.#changed.add(currentMs);
    // The read may end a gap that began in the hour before.
    if (this.#hours.has(currentMs - HOUR_MS)) this.#changed.add(currentMs - HOUR_MS);
    const current = this.#tallyOf(currentMs);
    let hourMs = currentMs;
    let tally = current;
    for (const position of positions.values()) {
      const atMs = epochMs(position.observedAt);
      if (atMs < hourMs || atMs >= hourMs + HOUR_MS) {
        hourMs = hourOf(atMs);
        tally = this.#tallyOf(hourMs);
      }
      const hash = hash53(position.ref);
      if (tally) tally.count(hash, atMs, position.lon, position.lat, countedKind(this.#layer, position), area);
      else if (this.#closed?.hourMs === hourMs && this.#closed.tally.countLate(hash, atMs)) current?.addLate();
    }
  }

  /** Changed hours, and closed ones until they are `stored`. */
  take(nowMs: number): readonly HourToStore[] {
    this.#pass(nowMs);
    const changed = [...this.#hours].flatMap(([hourMs, tally]) =>
      this.#changed.has(hourMs) ? [this.#toStore(hourMs, tally, true)] : [],
    );
    this.#changed.clear();
    return [...this.#pending, ...changed];
  }

  stored(hours: readonly HourToStore[]): void {
    this.#pending = this.#pending.filter((hour) => !hours.includes(hour));
  }

  notStored(hours: readonly HourToStore[]): void {
    for (const { hourMs } of hours) if (this.#hours.has(hourMs)) this.#changed.add(hourMs);
    this.#pending = this.#pending.slice(-PENDING_MAX);
  }

  #pass(nowMs: number): void {
    if (nowMs <= this.#nowMs) return;
    this.#nowMs = nowMs;
    for (const [hourMs, tally] of this.#hours) {
      if (this.#isOpen(hourMs)) continue;
      this.#pending = [...this.#pending, this.#toStore(hourMs, tally, false)];
      this.#hours.delete(hourMs);
      this.#changed.delete(hourMs);
      this.#closedMs = Math.max(this.#closedMs, hourMs);
      if (!this.#closed || hourMs > this.#closed.hourMs) this.#closed = { hourMs, tally };
    }
  }

  #toStore(hourMs: number, tally: HourTally, isOpen: boolean): HourToStore {
    const watched = this.#watched.of(hourMs);
    const { size, sampling } = tally;
    return {
      layer: this.#layer,
      hourMs,
      untilMs: this.#readMs,
      size,
      sampling,
      extent: unitBoxAround([...watched.map(({ box }) => box), ...tally.cellBoxes()]),
      body: writeHour(tally, watched, this.#watched.isCut(hourMs)),
      references: isOpen ? writeHashes(tally, hourMs) : undefined,
    };
  }

  /** `undefined` where it is not open. */
  #tallyOf(hourMs: number): HourTally | undefined {
    if (!this.#isOpen(hourMs)) return undefined;
    const known = this.#hours.get(hourMs);
    if (known) {
      this.#changed.add(hourMs);
      return known;
    }
    if (hourMs <= this.#closedMs || hourMs > this.#nowMs + AHEAD_MS) return undefined;
    const tally = new HourTally(this.#layer, this.#limits);
    this.#hours.set(hourMs, tally);
    this.#changed.add(hourMs);
    return tally;
  }

  #isOpen(hourMs: number): boolean {
    return hourMs + HOUR_MS + OPEN_MS > this.#nowMs;
  }
}

function hourOf(atMs: number): number {
  return Math.floor(atMs / HOUR_MS) * HOUR_MS;
}
