import { z } from 'zod';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { DayFiles, type RecordProblem } from '../../past/files/day-files.ts';
import type { AircraftHour } from './deafness.ts';
import { DAYS_KEPT, type StationDay, type StationHour, type StationSample, StationTally } from './station-tally.ts';

/** A hundred stations take 0.2 MB a day. */
const FILE_MAX_BYTES = 1024 * 1024;

/**
 * Counts of each station for every hour of 31 days, in memory and in a file a day. Unreadable days are left as they
 * are, and not known; a failing disk is a `problem`, and never stops the counting.
 */
export class StationRecord {
  readonly #files: DayFiles<StationDay>;
  readonly #tally: StationTally;

  private constructor(files: DayFiles<StationDay>, days: ReadonlyMap<number, StationDay>) {
    this.#files = files;
    this.#tally = new StationTally(days);
  }

  /** Never rejects. */
  static async open(folder: string, log: (entry: string) => void): Promise<StationRecord> {
    const { files, days } = await DayFiles.open({
      folder,
      name: 'stations',
      content: 'hours',
      version: STATIONS_VERSION,
      oldestVersion: OLDEST_VERSION,
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

  /** Why counts are not stored; undefined while everything is. */
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

const STATIONS_VERSION = 2;
/** It did not compare stations. */
const OLDEST_VERSION = 1;

const count = z.int().min(0);
const seconds = count;

const daySchema = z.strictObject({
  version: z.literal([OLDEST_VERSION, STATIONS_VERSION]),
  hours: z.array(
    z.tuple([
      z.string(),
      z.int().min(0).max(23),
      /** Seconds recorded, not connected, and silent. */
      seconds,
      seconds,
      seconds,
      /** Counts of fixes, and of those that the station sent alone. */
      count,
      count,
      /** The clock's error and spread, in ms. */
      z.int().nullable(),
      count.nullable(),
      /** Whether it is simulated. */
      z.literal([0, 1]),
      /** Of aircraft: tracks, expected and heard positions, own ones, and those from elsewhere. */
      z.tuple([count, count, count, count, count]).nullish(),
    ]),
  ),
});
type Row = z.infer<typeof daySchema>['hours'][number];

/** A station and hour take at most 110 bytes. */
export function encodeDay(day: StationDay): string {
  const rows = [...day].flatMap(([id, hours]) =>
    hours.flatMap((hour, index) => (hour === undefined ? [] : [rowOf(id, index, hour)])),
  );
  return `{"version":${STATIONS_VERSION},"hours":[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`;
}

/** @throws Error if it is not whole */
export function decodeDay(text: string): StationDay {
  const day: StationDay = new Map();
  for (const [
    id,
    index,
    recorded,
    notConnected,
    silent,
    fixes,
    alone,
    error,
    spread,
    simulated,
    aircraft,
  ] of daySchema.parse(JSON.parse(text)).hours) {
    const hours: (StationHour | undefined)[] = day.get(id) ?? Array.from({ length: 24 });
    day.set(id, hours);
    hours[index] = {
      recordedMs: recorded * SECOND_MS,
      notConnectedMs: notConnected * SECOND_MS,
      silentMs: silent * SECOND_MS,
      fixes,
      alone,
      clockErrorMs: error,
      clockSpreadMs: spread,
      simulated: simulated === 1,
      aircraft: aircraft ? aircraftOf(aircraft) : null,
    };
  }
  return day;
}

function rowOf(id: string, index: number, hour: StationHour): Row {
  return [
    id,
    index,
    inSeconds(hour.recordedMs),
    inSeconds(hour.notConnectedMs),
    inSeconds(hour.silentMs),
    hour.fixes,
    hour.alone,
    hour.clockErrorMs,
    hour.clockSpreadMs,
    hour.simulated ? 1 : 0,
    hour.aircraft && aircraftRow(hour.aircraft),
  ];
}

type AircraftRow = NonNullable<Row[10]>;

function aircraftOf([tracks, expected, received, own, elsewhere]: AircraftRow): AircraftHour {
  return { tracks, expected, received, own, elsewhere };
}

function aircraftRow({ tracks, expected, received, own, elsewhere }: AircraftHour): AircraftRow {
  return [tracks, Math.round(expected), received, own, elsewhere];
}

export function inSeconds(ms: number): number {
  return Math.round(ms / SECOND_MS);
}
