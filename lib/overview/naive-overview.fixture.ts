import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { MergedStretch } from '#lib/zones/stretches/merged-stretches.ts';
import { type Reported, reportedBetween, worsenedStretch } from '#lib/zones/stretches/watched-reception.ts';
import { BANDS, bboxOfCells, type CellBox, countedKind } from './cells.ts';
import { FOLLOWED_STEPS_MAX, STEP_MS } from './followed-steps.ts';
import { OPEN_MS, type TalliedRead } from './layer-tally.ts';

/** Every observation in a set, every read in a list. */
export class NaiveOverview {
  readonly #layer: Layer;
  readonly #cells: CellBox;
  #seen = new Map<string, number[]>();
  #nowMs = 0;
  received: {
    readonly ref: string;
    readonly hourMs: number;
    readonly position: Position;
    /** Whether it is later than all of its reference before. */
    readonly isNewest: boolean;
    readonly read: TalliedRead;
    readonly run: number;
  }[] = [];
  #allReads: { readonly read: TalliedRead; readonly run: number }[] = [];
  #reads: {
    readonly bbox: Bbox;
    readonly ms: number;
    readonly run: number;
    readonly reported?: Reported | undefined;
  }[] = [];
  late = 0;
  #run = 0;

  constructor(layer: Layer, cells: CellBox) {
    this.#layer = layer;
    this.#cells = cells;
  }

  read(read: TalliedRead): void {
    const { bbox, positions, readMs, isComplete, reported } = read;
    this.#allReads.push({ read, run: this.#run });
    this.#nowMs = Math.max(this.#nowMs, readMs);
    if (isComplete || reported?.state === 'not_watched')
      this.#reads.push({ bbox, ms: readMs, run: this.#run, reported });
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
      const isNewest = known.every((each) => atMs > each);
      this.received.push({ ref: position.ref, hourMs, position, isNewest, read, run: this.#run });
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
  cellsOf(hourMs: number, bands?: readonly number[]): ReadonlyMap<number, readonly [number, number]> {
    const { columns, rows } = this.#cells;
    const { west, south, east, north } = bboxOfCells(this.#cells);
    const byCell = Map.groupBy(this.received, ({ hourMs: at, position }) => {
      const kind = countedKind(this.#layer, position);
      if (at !== hourMs || kind >= BANDS || (bands && !bands.includes(kind))) return -1;
      const across = Math.floor(((position.lon - west) / (east - west)) * columns);
      const down = Math.floor(((position.lat - south) / (north - south)) * rows);
      return across >= 0 && across < columns && down >= 0 && down < rows ? down * columns + across : -1;
    });
    byCell.delete(-1);
    return new Map([...byCell].map(([cell, its]) => [cell, [its.length, new Set(its.map(({ ref }) => ref)).size]]));
  }

  /** Received and followed steps by cell, row by row. */
  stepsOf(hourMs: number, bands?: readonly number[]): ReadonlyMap<number, readonly [number, number]> {
    const { columns, rows } = this.#cells;
    const { west, south, east, north } = bboxOfCells(this.#cells);
    const steps = new Map<number, [number, number]>();
    const add = (lon: number, lat: number, kind: number, received: number) => {
      const across = Math.floor(((lon - west) / (east - west)) * columns);
      const down = Math.floor(((lat - south) / (north - south)) * rows);
      const isIn = across >= 0 && across < columns && down >= 0 && down < rows;
      if (!isIn || kind >= BANDS || (bands && !bands.includes(kind))) return;
      const known = steps.get(down * columns + across) ?? [0, 0];
      steps.set(down * columns + across, [known[0] + received, known[1] + 1]);
    };
    const newest = this.received.filter((each) => each.isNewest && each.hourMs === hourMs);
    for (const its of Map.groupBy(newest, ({ ref }) => ref).values()) {
      let wasFollowed = false;
      its.slice(1).forEach((next, index) => {
        const last = its[index] as (typeof its)[number];
        const [from, to] = [last.position, next.position];
        const [lastStep, step] = [from, to].map(({ observedAt }) => Math.floor(epochMs(observedAt) / STEP_MS)) as [
          number,
          number,
        ];
        const kind = countedKind(this.#layer, to);
        const isAlike = last.run === next.run && countedKind(this.#layer, from) === kind;
        if (isAlike && lastStep === step) return;
        const isFollowed =
          isAlike &&
          step - lastStep <= FOLLOWED_STEPS_MAX &&
          bboxContains(next.read.bbox, from.lon, from.lat) &&
          this.#wasReadSince(epochMs(from.observedAt), next);
        if (isFollowed && wasFollowed) add(from.lon, from.lat, kind, 1);
        wasFollowed = isFollowed;
        for (let each = lastStep + 1; isFollowed && each < step; each++) {
          const part = (each - lastStep) / (step - lastStep);
          add(from.lon + (to.lon - from.lon) * part, from.lat + (to.lat - from.lat) * part, kind, 0);
        }
      });
    }
    return steps;
  }

  /** Whether complete reads of the same area followed each other without a pause. */
  #wasReadSince(sinceMs: number, { read, run }: { readonly read: TalliedRead; readonly run: number }): boolean {
    const until = this.#allReads.findIndex((each) => each.read === read);
    const reads = this.#allReads.slice(0, until + 1).filter((each) => each.run === run && each.read.key === read.key);
    let [beganMs, lastMs] = [Number.NaN, Number.NaN];
    for (const { read: each } of reads) {
      if (each.readMs <= lastMs) continue;
      const isLost = each.reported?.state === 'not_watched';
      if (isLost || each.readMs - lastMs > STEP_MS) beganMs = Number.NaN;
      if (isLost || !each.isComplete) continue;
      if (Number.isNaN(beganMs)) beganMs = each.readMs;
      lastMs = each.readMs;
    }
    return beganMs <= sinceMs;
  }

  /** Milliseconds in the hour at a place. */
  watchedMs(lon: number, lat: number, hourMs: number): { readonly watched: number; readonly partly: number } {
    const reads = this.#reads
      .filter(({ bbox }) => bboxContains(bbox, lon, lat))
      .sort((a, b) => a.run - b.run || a.ms - b.ms)
      .filter(({ run, ms }, index, all) => all[index - 1]?.run !== run || all[index - 1]?.ms !== ms);
    let known: readonly (MergedStretch & { readonly run: number })[] = [];
    reads.slice(1).forEach(({ ms, run, reported }, index) => {
      const before = reads[index];
      if (before?.run !== run) return;
      const gapMs = ms - before.ms;
      const read = gapMs <= 15_000 ? 'watched' : gapMs <= 60_000 ? 'partly' : 'not_watched';
      for (const stretch of reportedBetween(before.reported, reported, before.ms, ms)) {
        known = known.flatMap((each) => (each.run === run ? worsenedStretch(each, stretch) : [each]));
        const forward = { run, fromMs: Math.max(stretch.fromMs, before.ms), toMs: stretch.toMs };
        known = [...known, ...worsenedStretch({ ...forward, state: read, reason: null }, stretch)];
      }
    });
    const ms = (state: MergedStretch['state']) =>
      known
        .filter((each) => each.state === state)
        .reduce(
          (sum, { fromMs, toMs }) => sum + Math.max(0, Math.min(toMs, hourMs + HOUR_MS) - Math.max(fromMs, hourMs)),
          0,
        );
    return { watched: ms('watched'), partly: ms('partly') };
  }
}
