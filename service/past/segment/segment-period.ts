import { DamagedBytes } from '#lib/columns/damaged-bytes.ts';
import type { Observation } from '../../sources/observation.ts';
import { type AskedBox, type BoxInSteps, contains, covers, touches } from '../box-in-steps.ts';
import type { Places, Times } from '../columns/chunk.ts';
import type { Dictionary } from '../columns/dictionary.ts';
import type { LayerPeriod } from '../period.ts';
import { type Asked, type Found, type FoundRow, FoundRows, type RetainedPeriod } from '../read-past.ts';
import { restorerOf } from '../stored-observation.ts';
import type { Chunk, Footer } from './footer.ts';
import type { SegmentReader } from './segment-reader.ts';

export type ReportDamage = (failure: Error) => void;

export class SegmentPeriod implements RetainedPeriod {
  readonly #period: LayerPeriod;
  readonly #reader: SegmentReader;
  readonly #report: ReportDamage;
  #footer: Footer | undefined;
  #dictionary: Dictionary | undefined;
  #trackBoxes: readonly BoxInSteps[] = [];
  readonly #times = new Map<number, Times>();
  readonly #places = new Map<number, Places>();

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
      this.#dictionary = await this.#reader.dictionary(footer);
      this.#trackBoxes = await this.#reader.trackBoxes(footer, this.#dictionary);
      const haveTimes = await this.#load('times', near, this.#times);
      const runsOf = new Map<number, readonly number[]>();
      for (const chunk of near) {
        const runs = this.#times.has(chunk) ? this.#touchedRuns(asked.box, chunk) : [];
        if (runs.length > 0) runsOf.set(chunk, runs);
      }
      const touched = [...runsOf.keys()];
      const needsPlaces = (chunk: number) => wanted === 'observations' || !covers(asked.box, footer.chunks[chunk]!.box);
      const havePlaces = await this.#load('places', touched.filter(needsPlaces), this.#places);
      for (const [chunk, runs] of runsOf) {
        if (this.#places.has(chunk) || !needsPlaces(chunk)) this.#collect(asked, chunk, runs, rows);
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
    const columnsOf = new Map(
      chunks.flatMap((chunk) => {
        const reported = reports.get(chunk)!;
        if (reported instanceof Error) return [];
        const [{ offsetMs }, places] = [this.#times.get(chunk)!, this.#places.get(chunk)!];
        const columns = { ...reported, offsetMs, lon: places.lon, lat: places.lat };
        return [[chunk, { places, reported, restored: restorerOf(this.#period, columns, this.#dictionary!.labels) }]];
      }),
    );
    for (const each of found) {
      const columns = columnsOf.get(each.chunk);
      if (!columns) continue;
      const run = this.#runOf(each.chunk, each.row);
      columns.places.decode(run);
      columns.reported.decode(run);
      observations.push(columns.restored(this.trackKey(each), each.row));
    }
    return { observations, isWhole };
  }

  /** Returns whether everything can be read. */
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

  #touchedRuns(box: AskedBox, chunk: number): number[] {
    const { firstTrack, runLengths } = this.#times.get(chunk)!;
    const runs: number[] = [];
    for (let run = 0; run < runLengths.length; run += 1) {
      if (touches(box, this.#trackBoxes[firstTrack + run]!)) runs.push(run);
    }
    return runs;
  }

  #collect({ box, fromMs, untilMs }: Asked, chunk: number, runs: readonly number[], rows: FoundRows): void {
    const times = this.#times.get(chunk)!;
    const { firstTrack, runLengths, runStarts, offsetMs } = times;
    for (const run of runs) {
      times.decode(run);
      const places = covers(box, this.#trackBoxes[firstTrack + run]!) ? undefined : this.#places.get(chunk)!;
      places?.decode(run);
      const end = runStarts[run]! + runLengths[run]!;
      for (let row = runStarts[run]!; row < end; row += 1) {
        const offset = offsetMs[row]!;
        if (offset < fromMs || offset >= untilMs) continue;
        if (!places || contains(box, places.lon[row]!, places.lat[row]!)) rows.add(offset, chunk, row);
      }
    }
  }

  #runOf(chunk: number, row: number): number {
    const { runStarts } = this.#times.get(chunk)!;
    let [low, high] = [0, runStarts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (runStarts[middle]! <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function isTouched({ box, fromMs, untilMs }: Asked, chunk: Chunk): boolean {
  return chunk.firstMs < untilMs && chunk.lastMs >= fromMs && touches(box, chunk.box);
}
