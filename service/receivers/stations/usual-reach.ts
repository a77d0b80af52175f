import { z } from 'zod';
import type { Bbox } from '#lib/geo/bbox.ts';
import { DayFiles, dropOldestDays } from '../../past/files/day-files.ts';
import { DAYS_KEPT } from './station-tally.ts';

/** A cell is 28 km high. Horizons differ more below 3,000 m than above, so low aircraft have their own cells. */
const CELLS_PER_DEG = 4;
const COLUMNS = 360 * CELLS_PER_DEG;
const LOW_M = 3000;

/** Fewer days may be the reach of a storm, a holiday, or of an antenna that is still being mounted. */
const DAYS_MIN = 3;
/** Fewer minutes may be of the one aircraft that passed. */
const MINUTES_MIN = 30;
/** Of the minutes in which others heard an aircraft there, it heard it too. Where it hears fewer, the weather decides. */
const REACHED_SHARE = 0.5;
/** Fewer positions there may be wrong, or received in rare weather. */
const KNOWN_POSITIONS = 20;
/** Around the places of a month: a weather that is rarer still, and aircraft where none flew. */
const MARGIN_CELLS = 2;

/** Of aircraft in a cell. `minutes` counts one for each aircraft and minute in which another station heard it. */
interface CellCounts {
  minutes: number;
  /** Of these minutes, those in which the station heard it too. */
  shared: number;
  /** The positions that the station heard in `minutes`. */
  positions: number;
  /** All positions that it counts. */
  own: number;
}

interface StationReach {
  /** Its earlier days were at another place. */
  isNew: boolean;
  readonly cells: Map<number, CellCounts>;
}
type ReachDay = Map<string, StationReach>;

interface Usual {
  readonly days: number;
  readonly cells: ReadonlyMap<number, CellCounts>;
  /** Of the places where it usually hears something. */
  readonly box: Bbox | undefined;
}

export function cellOf(lon: number, lat: number, altitudeM: number | null): number {
  const row = Math.floor((lat + 90) * CELLS_PER_DEG);
  const column = Math.floor((lon + 180) * CELLS_PER_DEG);
  return 2 * (row * COLUMNS + column) + (altitudeM !== null && altitudeM < LOW_M ? 0 : 1);
}

/** Where each station heard aircraft on the days before, by cell. Today's are added once the day is over. */
export class UsualReach {
  readonly #files: DayFiles<ReachDay> | undefined;
  readonly #days: Map<number, ReachDay>;
  #todayMs: number | undefined;
  #usual = new Map<string, Usual>();

  private constructor(files?: DayFiles<ReachDay>, days = new Map<number, ReachDay>()) {
    this.#files = files;
    this.#days = days;
  }

  static inMemory(): UsualReach {
    return new UsualReach();
  }

  /** Never rejects: unreadable days are not known. */
  static async open(folder: string, log: (entry: string) => void): Promise<UsualReach> {
    const { files, days } = await DayFiles.open({
      folder,
      name: 'reach',
      content: 'places of reach',
      version: REACH_VERSION,
      encode: encodeReachDay,
      decode: decodeReachDay,
      fileMaxBytes: FILE_MAX_BYTES,
      daysKept: DAYS_KEPT,
      log,
    });
    return new UsualReach(files, days);
  }

  /** Call it before the notes of a time. */
  moveTo(dayMs: number): void {
    if (dayMs === this.#todayMs) return;
    this.#todayMs = dayMs;
    dropOldestDays(this.#days, DAYS_KEPT, dayMs);
    const stations = new Set([...this.#days.values()].flatMap((day) => [...day.keys()]));
    this.#usual = new Map([...stations].map((station) => [station, this.#usualOf(station, dayMs)]));
  }

  /** The positions that the station usually hears of an aircraft there in a minute; undefined beyond its reach. */
  usualPositions(station: string, cell: number): number | undefined {
    const { days, cells } = this.#usual.get(station) ?? NOTHING;
    const counts = cells.get(cell);
    if (days < DAYS_MIN || !counts || counts.minutes < MINUTES_MIN) return undefined;
    return counts.shared < REACHED_SHARE * counts.minutes ? undefined : counts.positions / counts.minutes;
  }

  /** Whether the station usually hears something there, or not enough is known of it. */
  isKnown(station: string, cell: number): boolean {
    const { days, cells } = this.#usual.get(station) ?? NOTHING;
    return days < DAYS_MIN || (cells.get(cell)?.own ?? 0) >= KNOWN_POSITIONS;
  }

  /** The box outside which it hears no aircraft; undefined while not enough is known of it, and across 180°. */
  usualBox(station: string): Bbox | undefined {
    return this.#usual.get(station)?.box;
  }

  /** Notes the positions of an aircraft and minute. @param isShared whether another station heard it too */
  note(station: string, cell: number, positions: number, isShared: boolean): void {
    const { cells } = this.#today(station);
    let counts = cells.get(cell);
    if (!counts) {
      counts = { minutes: 0, shared: 0, positions: 0, own: 0 };
      cells.set(cell, counts);
    }
    counts.own += positions;
    if (!isShared) return;
    counts.minutes += 1;
    counts.positions += positions;
    if (positions > 0) counts.shared += 1;
  }

  /** Forgets what was noted until now: the station was moved on this day. */
  forget(station: string, dayMs: number): void {
    const day = this.#days.get(dayMs)?.get(station);
    if (!day || day.isNew) return;
    day.isNew = true;
    day.cells.clear();
    this.#files?.changed(dayMs);
    if (this.#todayMs !== undefined) this.#usual.set(station, this.#usualOf(station, this.#todayMs));
  }

  /** Never rejects. */
  flush(): Promise<void> {
    return this.#files?.flush(this.#days) ?? Promise.resolve();
  }

  #today(station: string): StationReach {
    const dayMs = this.#todayMs!;
    let day = this.#days.get(dayMs);
    if (!day) {
      day = new Map();
      this.#days.set(dayMs, day);
    }
    let reach = day.get(station);
    if (!reach) {
      reach = { isNew: false, cells: new Map() };
      day.set(station, reach);
    }
    this.#files?.changed(dayMs);
    return reach;
  }

  #usualOf(station: string, todayMs: number): Usual {
    const cells = new Map<number, CellCounts>();
    let days = 0;
    for (const dayMs of [...this.#days.keys()].sort((a, b) => b - a)) {
      const reach = this.#days.get(dayMs)?.get(station);
      if (!reach) continue;
      if (dayMs < todayMs) {
        days += 1;
        for (const [cell, counts] of reach.cells) addTo(cells, cell, counts);
      }
      if (reach.isNew) break;
    }
    return { days, cells, box: days < DAYS_MIN ? undefined : boxOf(cells) };
  }
}

const NOTHING: Usual = { days: 0, cells: new Map(), box: undefined };

function boxOf(cells: ReadonlyMap<number, CellCounts>): Bbox | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [cell, { own }] of cells) {
    if (own < KNOWN_POSITIONS) continue;
    const place = cell >> 1;
    const [row, column] = [Math.floor(place / COLUMNS), place % COLUMNS];
    [west, east] = [Math.min(west, column), Math.max(east, column + 1)];
    [south, north] = [Math.min(south, row), Math.max(north, row + 1)];
  }
  // Without places it is negative. Half around the world, it crosses 180°.
  if (!(east - west > 0 && east - west < COLUMNS / 2)) return undefined;
  const degrees = (cells: number, limit: number) => Math.min(limit, Math.max(-limit, cells / CELLS_PER_DEG - limit));
  return {
    west: degrees(west - MARGIN_CELLS, 180),
    south: degrees(south - MARGIN_CELLS, 90),
    east: degrees(east + MARGIN_CELLS, 180),
    north: degrees(north + MARGIN_CELLS, 90),
  };
}

function addTo(cells: Map<number, CellCounts>, cell: number, { minutes, shared, positions, own }: CellCounts): void {
  const sum = cells.get(cell) ?? { minutes: 0, shared: 0, positions: 0, own: 0 };
  sum.minutes += minutes;
  sum.shared += shared;
  sum.positions += positions;
  sum.own += own;
  cells.set(cell, sum);
}

const REACH_VERSION = 1;
/** A hundred busy stations take 4 MB a day. */
const FILE_MAX_BYTES = 16 * 1024 * 1024;

const count = z.int().min(0);
const reachSchema = z.strictObject({
  version: z.literal(REACH_VERSION),
  stations: z.array(z.tuple([z.string(), z.literal([0, 1]), z.array(z.tuple([count, count, count, count, count]))])),
});

function encodeReachDay(day: ReachDay): string {
  const rows = [...day].map(([station, { isNew, cells }]) =>
    JSON.stringify([
      station,
      isNew ? 1 : 0,
      [...cells].map(([cell, { minutes, shared, positions, own }]) => [cell, minutes, shared, positions, own]),
    ]),
  );
  return `{"version":${REACH_VERSION},"stations":[\n${rows.join(',\n')}\n]}\n`;
}

/** @throws Error if it is not whole */
function decodeReachDay(text: string): ReachDay {
  return new Map(
    reachSchema.parse(JSON.parse(text)).stations.map(([station, isNew, cells]) => [
      station,
      {
        isNew: isNew === 1,
        cells: new Map(
          cells.map(([cell, minutes, shared, positions, own]) => [cell, { minutes, shared, positions, own }]),
        ),
      },
    ]),
  );
}
