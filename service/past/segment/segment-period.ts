import { DamagedBytes } from '#lib/columns/bytes.ts';
import { lastAtMost } from '#lib/columns/typed-arrays.ts';
import type { Observation } from '../../sources/observation.ts';
import { type AskedBox, type BoxInSteps, contains, covers, touches } from '../box-in-steps.ts';
import type { Dictionary, Places, Times } from '../columns/chunk.ts';
import type { LayerPeriod } from '../period.ts';
import { type Asked, type Found, type FoundRow, FoundRows, foundNothing, type RetainedPeriod } from '../read-past.ts';
import { restorerOf } from '../stored-observation.ts';
import type { Chunk, Footer } from './segment-bytes.ts';
import type { SegmentReader } from './segment-reader.ts';

export type ReportDamage = (failure: Error) => void;

/** The parts of a segment that a question has read: chunks by number. */
interface ReadChunks {
  readonly footer: Footer;
  readonly dictionary: Dictionary;
  readonly times: ReadonlyMap<number, Times>;
  /** The places by chunk. If only times are wanted, chunks that lie wholly in the box are left out. */
  readonly places: ReadonlyMap<number, Places>;
}

/**
 * Answers one question from a segment. It reads only chunks, and decodes only tracks, that the box touches. Damage is
 * reported, and leaves out no more than the damaged chunk.
 */
export class SegmentPeriod implements RetainedPeriod {
  readonly #period: LayerPeriod;
  readonly #reader: SegmentReader;
  readonly #report: ReportDamage;

  constructor(period: LayerPeriod, reader: SegmentReader, report: ReportDamage) {
    this.#period = period;
    this.#reader = reader;
    this.#report = report;
  }

  async find(asked: Asked, wanted: 'observations' | 'times'): Promise<Found> {
    const reader = this.#reader;
    try {
      const footer = await reader.footer();
      const near = [...footer.chunks.entries()].filter(([, chunk]) => isTouched(asked, chunk));
      if (near.length === 0) return foundNothing(footer.isWhole);
      const dictionary = await reader.dictionary(footer);
      const trackBoxes = await reader.trackBoxes(footer, dictionary);
      const numbers = near.map(([number]) => number);
      const times = this.#readable(await reader.parts('times', footer, numbers), (part) => {
        const isKnown = part.firstTrack + part.runs.lengths.length <= dictionary.trackCount;
        return isKnown ? part : new DamagedBytes('a track that is not in its dictionary');
      });
      const touched = near.flatMap(([number, chunk]) => {
        const part = times.get(number);
        const runs = part ? touchedRuns(asked.box, part, trackBoxes) : [];
        const needsPlaces = wanted === 'observations' || !covers(asked.box, chunk.box);
        return part && runs.length > 0 ? [{ number, part, runs, needsPlaces }] : [];
      });
      const needed = touched.filter(({ needsPlaces }) => needsPlaces).map(({ number }) => number);
      const places = this.#readable(await reader.parts('places', footer, needed, times));
      const rows = new FoundRows();
      for (const { number, part, runs, needsPlaces } of touched) {
        const ofChunk = places.get(number);
        if (ofChunk || !needsPlaces) collect(asked, number, part, ofChunk, runs, trackBoxes, rows);
      }
      const read = { footer, dictionary, times, places };
      return {
        rows,
        isWhole: footer.isWhole && times.size === near.length && places.size === needed.length,
        trackKey: (found) => trackKeyOf(read, found),
        restore: (found) => this.#restore(read, found),
      };
    } catch (failure) {
      this.#report(failure instanceof Error ? failure : new Error(String(failure)));
      return foundNothing(false);
    }
  }

  async #restore({ footer, dictionary, times, places }: ReadChunks, found: readonly FoundRow[]) {
    const chunks = [...new Set(found.map(({ chunk }) => chunk))].sort((a, b) => a - b);
    const reports = this.#readable(await this.#reader.parts('reports', footer, chunks, times));
    const restorers = new Map<number, (row: number) => Observation>();
    for (const [chunk, reported] of reports) {
      const [time, place] = [times.get(chunk), places.get(chunk)];
      if (!time || !place) continue;
      const columns = { ...reported, offsetMs: time.offsetMs, lon: place.lon, lat: place.lat };
      const restored = restorerOf(this.#period, columns, dictionary.labels);
      restorers.set(chunk, (row) => {
        const run = lastAtMost(time.runs.starts, row);
        place.decode(run);
        reported.decode(run);
        return restored(dictionary.trackKey(time.firstTrack + run), row);
      });
    }
    const observations = found.flatMap(({ chunk, row }) => restorers.get(chunk)?.(row) ?? []);
    return { observations, isWhole: reports.size === chunks.length };
  }

  /** Reports each part that can't be read, and leaves it out. */
  #readable<Part extends object>(
    parts: ReadonlyMap<number, Part | Error>,
    checked: (part: Part) => Part | Error = (part) => part,
  ): ReadonlyMap<number, Part> {
    const readable = new Map<number, Part>();
    for (const [chunk, part] of parts) {
      const either = part instanceof Error ? part : checked(part);
      if (either instanceof Error) this.#report(either);
      else readable.set(chunk, either);
    }
    return readable;
  }
}

function trackKeyOf({ dictionary, times }: ReadChunks, { chunk, row }: FoundRow): string {
  const part = times.get(chunk);
  return part ? dictionary.trackKey(part.firstTrack + lastAtMost(part.runs.starts, row)) : '';
}

function isTouched({ box, fromMs, untilMs }: Asked, chunk: Chunk): boolean {
  return chunk.firstMs < untilMs && chunk.lastMs >= fromMs && touches(box, chunk.box);
}

function touchedRuns(box: AskedBox, { firstTrack, runs }: Times, trackBoxes: readonly BoxInSteps[]): number[] {
  const touched: number[] = [];
  for (let run = 0; run < runs.lengths.length; run += 1) {
    if (touches(box, trackBoxes[firstTrack + run]!)) touched.push(run);
  }
  return touched;
}

/** @param places undefined if the chunk lies in the box as a whole */
function collect(
  { box, fromMs, untilMs }: Asked,
  chunk: number,
  { firstTrack, runs, offsetMs, decode }: Times,
  places: Places | undefined,
  touched: readonly number[],
  trackBoxes: readonly BoxInSteps[],
  rows: FoundRows,
): void {
  for (const run of touched) {
    decode(run);
    const isInside = covers(box, trackBoxes[firstTrack + run]!);
    if (!isInside) places?.decode(run);
    const end = runs.starts[run]! + runs.lengths[run]!;
    for (let row = runs.starts[run]!; row < end; row += 1) {
      const offset = offsetMs[row]!;
      if (offset < fromMs || offset >= untilMs) continue;
      if (isInside || !places || contains(box, places.lon[row]!, places.lat[row]!)) rows.add(offset, chunk, row);
    }
  }
}
