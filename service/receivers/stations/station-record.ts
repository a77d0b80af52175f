import { DayFiles, type RecordProblem } from '../../past/files/day-files.ts';
import { decodeDay, encodeDay, STATIONS_VERSION } from './day-file.ts';
import { DAYS_KEPT, type StationDay, type StationSample, StationTally } from './station-tally.ts';

/** A hundred stations take 0.2 MB a day. */
const FILE_MAX_BYTES = 1024 * 1024;

/** Hourly counts of each station, one file a day. */
export class StationRecord {
  readonly #files: DayFiles<StationDay>;
  readonly #tally: StationTally;

  private constructor(files: DayFiles<StationDay>, days: ReadonlyMap<number, StationDay>) {
    this.#files = files;
    this.#tally = new StationTally(days);
  }

  /** Never rejects: unreadable days are not known. */
  static async open(folder: string, log: (entry: string) => void): Promise<StationRecord> {
    const { files, days } = await DayFiles.open({
      folder,
      name: 'stations',
      content: 'hours',
      version: STATIONS_VERSION,
      encode: encodeDay,
      decode: decodeDay,
      fileMaxBytes: FILE_MAX_BYTES,
      daysKept: DAYS_KEPT,
      log,
    });
    return new StationRecord(files, days);
  }

  get days(): ReadonlyMap<number, StationDay> {
    return this.#tally.days;
  }

  /** Undefined while everything is stored. */
  get problem(): RecordProblem | undefined {
    return this.#files.problem;
  }

  sample(wallMs: number, steadyMs: number, stations: readonly StationSample[]): void {
    this.#files.changed(this.#tally.sample(wallMs, steadyMs, stations));
  }

  /** Never rejects. After a failure, the next call writes the same days. */
  flush(): Promise<void> {
    return this.#files.flush(this.days);
  }
}
