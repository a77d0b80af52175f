import type { Observation } from '../../sources/observation.ts';
import { contains, covers, touches } from '../box-in-steps.ts';
import type { Places, Times } from '../columns/chunk.ts';
import { DamagedBytes } from '../columns/damaged-bytes.ts';
import type { Dictionary } from '../columns/dictionary.ts';
import { type FoundRow, FoundRows } from '../earliest-rows.ts';
import type { Asked, Found, HeldPeriod } from '../held-period.ts';
import type { LayerPeriod } from '../period.ts';
import { rowOf } from '../rows.ts';
import { restoreObservation } from '../stored-observation.ts';
import type { Chunk, Footer } from './footer.ts';
import type { SegmentReader } from './segment-reader.ts';

/** Told why some of a segment can't be read. */
export type ReportDamage = (failure: Error) => void;

/** A sealed period for one question. Of what can't be read it gives nothing, and says that it is not whole. */
export class SegmentPeriod implements HeldPeriod {
  readonly #period: LayerPeriod;
  readonly #reader: SegmentReader;
  readonly #report: ReportDamage;
  #footer: Footer | undefined;
  #dictionary: Dictionary | undefined;
  readonly #times = new Map<number, Times>();
  readonly #places = new Map<number, Places>();
  /** Of each chunk, the row after the last one of each run. */
  readonly #runEnds = new Map<number, Uint32Array>();

  constructor(period: LayerPeriod, reader: SegmentReader, report: ReportDamage) {
    this.#period = period;
    this.#reader = reader;
    this.#report = report;
  }

  async find(asked: Asked, wanted: 'observations' | 'times'): Promise<Found> {
    const rows = new FoundRows();
    try {
      const footer = await this.#reader.footer();
      this.#footer = footer;
      const near = [...footer.chunks.keys()].filter((chunk) => isTouched(asked, footer.chunks[chunk]!));
      if (near.length === 0) return { rows, isWhole: footer.isWhole };
      if (wanted === 'observations') this.#dictionary = await this.#reader.dictionary(footer);
      const haveTimes = await this.#load('times', near, this.#times);
      const needsPlaces = (chunk: number) => wanted === 'observations' || !covers(asked.box, footer.chunks[chunk]!.box);
      const readable = near.filter((chunk) => this.#times.has(chunk));
      const havePlaces = await this.#load('places', readable.filter(needsPlaces), this.#places);
      for (const chunk of readable) {
        if (this.#places.has(chunk) || !needsPlaces(chunk)) this.#collect(asked, chunk, rows);
      }
      return { rows, isWhole: footer.isWhole && haveTimes && havePlaces };
    } catch (failure) {
      this.#report(failure instanceof Error ? failure : new Error(String(failure)));
      return { rows: new FoundRows(), isWhole: false };
    }
  }

  trackKey({ chunk, row }: FoundRow): string {
    const { firstTrack } = this.#times.get(chunk)!;
    return this.#dictionary!.trackKey(firstTrack + this.#runOf(chunk, row));
  }

  async restore(found: readonly FoundRow[]) {
    const observations: Observation[] = [];
    const chunks = [...new Set(found.map(({ chunk }) => chunk))].sort((a, b) => a - b);
    const reports = await this.#reader.parts('reports', this.#footer!, chunks, this.#times);
    let isWhole = true;
    for (const each of reports.values()) {
      if (!(each instanceof Error)) continue;
      isWhole = false;
      this.#report(each);
    }
    for (const each of found) {
      const reported = reports.get(each.chunk)!;
      if (reported instanceof Error) continue;
      const { offsetMs } = this.#times.get(each.chunk)!;
      const row = rowOf({ offsetMs, ...this.#places.get(each.chunk)!, ...reported }, each.row);
      observations.push(restoreObservation(this.#period, this.trackKey(each), row, this.#dictionary!.labels));
    }
    return { observations, isWhole };
  }

  /** Adds what can be read; returns whether everything can. */
  async #load<Name extends 'times' | 'places'>(
    name: Name,
    chunks: readonly number[],
    into: Map<number, Name extends 'times' ? Times : Places>,
  ): Promise<boolean> {
    const read = await this.#reader.parts(name, this.#footer!, chunks, this.#times);
    let isWhole = true;
    for (const [chunk, part] of read) {
      const failure = part instanceof Error ? part : this.#beyondDictionary(part);
      if (failure) {
        isWhole = false;
        this.#report(failure);
      } else into.set(chunk, part as Name extends 'times' ? Times : Places);
    }
    return isWhole;
  }

  #beyondDictionary(part: Times | Places): Error | undefined {
    if (!(this.#dictionary && 'firstTrack' in part)) return undefined;
    if (part.firstTrack + part.runLengths.length <= this.#dictionary.trackCount) return undefined;
    return new DamagedBytes('a track that is not in its dictionary');
  }

  #collect({ box, fromMs, untilMs }: Asked, chunk: number, rows: FoundRows): void {
    const { offsetMs } = this.#times.get(chunk)!;
    const places = covers(box, this.#footer!.chunks[chunk]!.box) ? undefined : this.#places.get(chunk)!;
    for (let row = 0; row < offsetMs.length; row += 1) {
      const offset = offsetMs[row]!;
      if (offset < fromMs || offset >= untilMs) continue;
      if (!places || contains(box, places.lon[row]!, places.lat[row]!)) rows.add(offset, chunk, row);
    }
  }

  #runOf(chunk: number, row: number): number {
    let ends = this.#runEnds.get(chunk);
    if (!ends) {
      let end = 0;
      ends = this.#times.get(chunk)!.runLengths.map((length) => {
        end += length;
        return end;
      });
      this.#runEnds.set(chunk, ends);
    }
    let [low, high] = [0, ends.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[middle]! > row) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function isTouched({ box, fromMs, untilMs }: Asked, chunk: Chunk): boolean {
  return chunk.firstMs < untilMs && chunk.lastMs >= fromMs && touches(box, chunk.box);
}
