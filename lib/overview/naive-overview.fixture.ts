import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { bboxOfCells, type CellBox } from './cells.ts';
import { BANDS, kindOf } from './kinds.ts';
import { OPEN_MS, type TalliedRead } from './layer-tally.ts';

/** Every observation in a set, every read in a list. */
export class NaiveOverview {
  readonly #layer: Layer;
  readonly #cells: CellBox;
  #seen = new Map<string, number[]>();
  #nowMs = 0;
  received: { readonly ref: string; readonly hourMs: number; readonly position: Position }[] = [];
  #reads: { readonly bbox: Bbox; readonly ms: number; readonly run: number }[] = [];
  late = 0;
  #run = 0;

  constructor(layer: Layer, cells: CellBox) {
    this.#layer = layer;
    this.#cells = cells;
  }

  read({ bbox, positions, readMs, isComplete }: TalliedRead): void {
    this.#nowMs = Math.max(this.#nowMs, readMs);
    if (isComplete) this.#reads.push({ bbox, ms: readMs, run: this.#run });
    for (const position of positions.values()) {
      const atMs = epochMs(position.observedAt);
      const hourMs = Math.floor(atMs / HOUR_MS) * HOUR_MS;
      const key = `${position.ref} ${hourMs}`;
      const isOpen = hourMs + HOUR_MS + OPEN_MS > this.#nowMs && hourMs <= this.#nowMs + 60_000;
      const known = this.#seen.get(key) ?? [];
      const isRepeated = known.includes(atMs) || (known.length >= 4 && atMs < (known[3] as number));
      if (!isOpen || isRepeated) continue;
      this.#seen.set(
        key,
        [...known, atMs].sort((a, b) => b - a),
      );
      this.received.push({ ref: position.ref, hourMs, position });
    }
  }

  /** @returns goes back to here, as a crash does */
  keep() {
    const [received, reads, seen] = [this.received.length, this.#reads.length, new Map(this.#seen)];
    return () => {
      this.received.length = received;
      this.#reads.length = reads;
      this.#run++;
      this.#seen = new Map(
        [...seen].map(([key, times]) => [key, [times[0], times[0], times[0], times[0]] as number[]]),
      );
    };
  }

  /** Positions and references by cell, row by row. */
  cellsOf(hourMs: number, band?: number): ReadonlyMap<number, readonly [number, number]> {
    const { columns, rows } = this.#cells;
    const { west, south, east, north } = bboxOfCells(this.#cells);
    const byCell = Map.groupBy(this.received, ({ hourMs: at, position }) => {
      const kind = kindOf(this.#layer, position);
      if (at !== hourMs || kind >= BANDS || (band !== undefined && kind !== band)) return -1;
      const across = Math.floor(((position.lon - west) / (east - west)) * columns);
      const down = Math.floor(((position.lat - south) / (north - south)) * rows);
      return across >= 0 && across < columns && down >= 0 && down < rows ? down * columns + across : -1;
    });
    byCell.delete(-1);
    return new Map([...byCell].map(([cell, its]) => [cell, [its.length, new Set(its.map(({ ref }) => ref)).size]]));
  }

  /** Milliseconds in the hour at a place. */
  watchedMs(lon: number, lat: number, hourMs: number): { readonly watched: number; readonly partly: number } {
    const reads = this.#reads
      .filter(({ bbox }) => bboxContains(bbox, lon, lat))
      .sort((a, b) => a.run - b.run || a.ms - b.ms);
    const times = { watched: 0, partly: 0 };
    reads.slice(1).forEach(({ ms, run }, index) => {
      const before = reads[index];
      if (before?.run !== run || ms - before.ms > 60_000) return;
      const inHour = Math.max(0, Math.min(ms, hourMs + HOUR_MS) - Math.max(before.ms, hourMs));
      times[ms - before.ms <= 15_000 ? 'watched' : 'partly'] += inHour;
    });
    return times;
  }
}
