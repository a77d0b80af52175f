import { AGEING } from '#lib/model/ageing.ts';
import {
  kindOfFlags,
  LAYER_OF_KIND,
  LAYERS,
  type Layer,
  type Position,
  positionAt,
  type TrackKind,
} from '#lib/model/position.ts';
import type { LabelName } from '#lib/model/record-fields.ts';
import type { FirstObservations, PicturedTracks, TrackMoment } from '#lib/picture/pictured-tracks.ts';
import {
  copyTrackColumns,
  deriveMark,
  growTrackColumns,
  makeTrackColumns,
  type TrackColumns,
} from '#lib/picture/track-columns.ts';
import { epochMs } from '#lib/time/instant.ts';
import { FALLBACK_TTL_MS, type TimeToLive } from '../time-to-live.ts';
import { rowColumns } from './observation-rows.ts';
import type { ReplayStore } from './replay-store.ts';

const NOTHING = -1;

/**
 * Each track's last observation at or before a time, without interpolation. A slot is the track's number in the store.
 */
export class ReplayCursor implements PicturedTracks {
  readonly columns: TrackColumns = makeTrackColumns(1024);
  readonly beginnings: FirstObservations;
  readonly #store: ReplayStore;
  #numbers = rowColumns(this.columns);
  readonly #ttlMs: TimeToLive;
  #shown: ReadonlySet<Layer> = new Set(LAYERS);
  #atMs: number;
  #revision = NOTHING;
  /** By slot: index of the shown observation in the track's series, or `NOTHING`. */
  #index: Int32Array = new Int32Array(this.columns.capacity).fill(NOTHING);
  /** The observation's row by slot, or `NOTHING`. */
  #row: Int32Array = new Int32Array(this.columns.capacity).fill(NOTHING);
  /** By slot: the span [from, until) in which it is the last one, milliseconds since the window's start. */
  #fromMs: Float64Array = new Float64Array(this.columns.capacity);
  #untilMs: Float64Array = new Float64Array(this.columns.capacity);
  readonly #positions: (Position | undefined)[] = [];

  constructor(store: ReplayStore, ttlMs: TimeToLive = FALLBACK_TTL_MS) {
    this.#store = store;
    this.beginnings = beginningsIn(store);
    this.#ttlMs = ttlMs;
    this.#atMs = epochMs(store.window.start);
  }

  get atMs(): number {
    return this.#atMs;
  }

  /** Moves to a time in epoch milliseconds. It allocates only for new tracks. */
  seek(atMs: number): void {
    this.#atMs = atMs;
    const { columns } = this;
    const store = this.#store;
    if (this.#revision !== store.revision) this.#applyNew();
    const timeMs = atMs - epochMs(store.window.start);
    for (let slot = 0; slot < columns.end; slot++) {
      if (timeMs < (this.#fromMs[slot] as number) || timeMs >= (this.#untilMs[slot] as number))
        this.#move(slot, timeMs);
      columns.used[slot] = this.#isThere(slot, atMs) ? 1 : 0;
    }
  }

  /** A mark stays this long after its observation, current and then expired: exclusive. */
  shownForMs(kind: TrackKind): number {
    return this.#ttlMs[kind] + AGEING[kind].expiredMs;
  }

  setShown(layers: ReadonlySet<Layer>): void {
    this.#shown = layers;
    this.seek(this.#atMs);
  }

  slotOf(ref: string): number | undefined {
    const track = this.#store.trackOf(ref);
    return track !== undefined && this.columns.used[track] === 1 ? track : undefined;
  }

  refAt(slot: number): string {
    return this.#store.refOf(slot);
  }

  labelAt(slot: number, name: LabelName): string | undefined {
    return labelOf(this.#store, this.#row[slot] as number, name);
  }

  positionAt(slot: number): Position {
    const cached = this.#positions[slot];
    if (cached) return cached;
    const position = positionOf(this.#store, this.columns, slot, this.#row[slot] as number);
    this.#positions[slot] = position;
    return position;
  }

  momentAt(atMs: number): TrackMoment {
    // Rows of the store and the tracks of slots never change, so they need not be copied.
    const store = this.#store;
    const columns = makeTrackColumns(this.columns.capacity);
    copyTrackColumns(this.columns, columns);
    const rows = this.#row.slice(0, columns.end);
    const positions = this.#positions.slice();
    return {
      atMs,
      columns,
      refAt: (slot) => store.refOf(slot),
      labelAt: (slot, name) => labelOf(store, rows[slot] as number, name),
      positionAt(slot) {
        positions[slot] ??= positionOf(store, columns, slot, rows[slot] as number);
        return positions[slot];
      },
    };
  }

  #applyNew(): void {
    const { columns } = this;
    this.#revision = this.#store.revision;
    columns.end = this.#store.trackCount;
    while (columns.capacity < columns.end) growTrackColumns(columns);
    this.#numbers = rowColumns(columns);
    if (this.#index.length < columns.capacity) {
      const before = { index: this.#index, row: this.#row };
      this.#index = new Int32Array(columns.capacity).fill(NOTHING);
      this.#index.set(before.index);
      this.#row = new Int32Array(columns.capacity).fill(NOTHING);
      this.#row.set(before.row);
      this.#fromMs = new Float64Array(columns.capacity);
      this.#untilMs = new Float64Array(columns.capacity);
    }
    this.#fromMs.fill(Number.POSITIVE_INFINITY);
  }

  #move(slot: number, timeMs: number): void {
    const series = this.#store.seriesOf(slot);
    const index = series.lastAtOrBefore(timeMs, this.#index[slot] as number);
    const row = index < 0 ? NOTHING : series.row(index);
    this.#index[slot] = index;
    this.#fromMs[slot] = index < 0 ? Number.NEGATIVE_INFINITY : series.timeMs(index);
    this.#untilMs[slot] = index + 1 < series.count ? series.timeMs(index + 1) : Number.POSITIVE_INFINITY;
    if (row === this.#row[slot]) return;
    this.#row[slot] = row;
    this.#positions[slot] = undefined;
    if (row !== NOTHING) this.#write(slot, row);
  }

  #write(slot: number, row: number): void {
    const { columns } = this;
    const { rows, labelSets, window } = this.#store;
    columns.style[slot] = labelSets.at(rows.labelSet(row)).style;
    columns.observedAtMs[slot] = epochMs(window.start) + (this.#fromMs[slot] as number);
    columns.staleAfterMs[slot] = Number.NaN;
    rows.copy(row, this.#numbers, slot);
    columns.expiresAtMs[slot] = (columns.observedAtMs[slot] as number) + this.#ttlMs[this.#kindAt(slot)];
    deriveMark(columns, slot);
  }

  #isThere(slot: number, atMs: number): boolean {
    if (this.#row[slot] === NOTHING) return false;
    const kind = this.#kindAt(slot);
    if (!this.#shown.has(LAYER_OF_KIND[kind])) return false;
    return atMs < (this.columns.observedAtMs[slot] as number) + this.shownForMs(kind);
  }

  #kindAt(slot: number): TrackKind {
    return kindOfFlags(this.columns.style[slot] as number);
  }
}

function beginningsIn(store: ReplayStore): FirstObservations {
  const firstRow = (slot: number) => store.seriesOf(slot).row(0);
  return {
    atMs: (slot) => epochMs(store.window.start) + store.seriesOf(slot).timeMs(0),
    lon: (slot) => store.rows.read.lon(firstRow(slot)),
    lat: (slot) => store.rows.read.lat(firstRow(slot)),
  };
}

function labelOf(store: ReplayStore, row: number, name: LabelName): string | undefined {
  return store.labelSets.at(store.rows.labelSet(row)).label(name);
}

function positionOf(store: ReplayStore, columns: TrackColumns, slot: number, row: number): Position {
  const { label } = store.labelSets.at(store.rows.labelSet(row));
  return positionAt(columns, slot, { ref: store.refOf(slot), flags: columns.style[slot] as number, label });
}
