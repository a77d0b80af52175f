import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';

/** Counts of an hour: how much a station heard of aircraft, and how much it usually does. Drones are too few. */
export interface AircraftHour {
  /** Aircraft that other stations heard within its usual reach. */
  tracks: number;
  /** The positions that it usually hears of them. */
  expected: number;
  /** The positions that it heard of them. */
  received: number;
  /** All positions of aircraft that it heard. */
  own: number;
  /** Those from places where it usually hears none. */
  elsewhere: number;
}

export const NO_AIRCRAFT: Readonly<AircraftHour> = { tracks: 0, expected: 0, received: 0, own: 0, elsewhere: 0 };

export interface JudgedHour {
  readonly startMs: number;
  /** The time in which the station was connected. */
  readonly connectedMs: number;
  /** null: not recorded. */
  readonly aircraft: Readonly<AircraftHour> | null;
}

export interface Deafness {
  /** Of what it usually hears. */
  readonly share: number;
  readonly sinceMs: number;
}

export interface Judgement {
  readonly deaf: Deafness | undefined;
  /** The hour since which it stands elsewhere: what was usual before says nothing any more. */
  readonly movedMs: number | undefined;
}

interface Limit {
  readonly hours: number;
  readonly tracks: number;
  readonly share: number;
}

/**
 * A station is deaf below such a share, over so many hours and aircraft. The figures are from `npm run bench -- deaf`: the
 * Swiss recording, received by three stations with losses that grow with distance. In 20 times 30 quiet days of three,
 * two and one there is no false alarm. Rain on one antenna, which takes a fifth of its range, halves for three hours what
 * it hears at the edge of its reach. So 50% need four hours, and only 25% one. Over a day, a healthy station is within 8%
 * of its usual, so 80% is far outside.
 */
const LIMITS: readonly Limit[] = [
  { hours: 1, tracks: 30, share: 0.25 },
  { hours: 4, tracks: 60, share: 0.5 },
  { hours: 8, tracks: 100, share: 0.65 },
  { hours: 12, tracks: 200, share: 0.8 },
];

/**
 * A lone station is compared with the same hours of earlier weeks, where a strike or a storm looks like a loss. A closed
 * airport, a weekend, and rain that takes two fifths of the range for six hours stay above these limits.
 */
const LIMITS_ALONE: readonly Limit[] = [
  { hours: 8, tracks: 100, share: 0.25 },
  { hours: 24, tracks: 300, share: 0.5 },
];
/** The lone station's measure of traffic: an aircraft in reach for so many positions. */
const POSITIONS_OF_TRACK = 60;

/** A run of hours below this share may be a loss. It lies between a loss of 30% and none. */
const MIDDLE = 0.85;
/** It hears well again after an hour above this share. The gap to `MIDDLE` keeps a loss of 20% from flapping. */
const RECOVERED = 0.9;
const RECOVERY: Limit = { hours: 1, tracks: 30, share: RECOVERED };
/** A station hears 0.2% of its positions where it usually hears none. A deaf one hears no new places. */
const MOVED_SHARE = 0.05;

/** A station is judged by its neighbours while they had so many aircraft in its reach within a day, or else alone. */
const NEIGHBOURS_MIN_TRACKS = 30;

const WEEK_MS = 7 * DAY_MS;
const WEEKS_MIN = 2;
const WEEKS_MAX = 4;
const CONNECTED_MIN_MS = 0.8 * HOUR_MS;

/**
 * Whether stations hear far less than usual.
 * @param stations the hours of each in order of time; missing ones were not recorded
 */
export function judgeStations(stations: ReadonlyMap<string, readonly JudgedHour[]>): ReadonlyMap<string, Judgement> {
  const shares = sharesByHour(stations);
  return new Map(
    [...stations].map(([station, hours]) => {
      const dayAgoMs = (hours.at(-1)?.startMs ?? 0) - DAY_MS;
      const recent = hours.filter(({ startMs }) => startMs > dayAgoMs);
      const tracks = recent.reduce((sum, { aircraft }) => sum + (aircraft?.tracks ?? 0), 0);
      const judgement =
        tracks >= NEIGHBOURS_MIN_TRACKS
          ? judge(comparedWithNeighbours(hours, station, shares), LIMITS)
          : judge(comparedWithWeeks(hours), LIMITS_ALONE);
      return [station, judgement];
    }),
  );
}

/** An hour with traffic to hear. */
interface Compared extends Readonly<AircraftHour> {
  readonly startMs: number;
  readonly hours: number;
}

type SharesByHour = ReadonlyMap<number, readonly { readonly station: string; readonly share: number }[]>;

function sharesByHour(stations: ReadonlyMap<string, readonly JudgedHour[]>): SharesByHour {
  const shares = [...stations].flatMap(([station, hours]) =>
    hours.flatMap(({ startMs, aircraft }) =>
      aircraft === null || aircraft.expected === 0
        ? []
        : [{ station, startMs, share: aircraft.received / aircraft.expected }],
    ),
  );
  return Map.groupBy(shares, ({ startMs }) => startMs);
}

/** Where each neighbour hears less as well, it is the weather. */
function comparedWithNeighbours(
  hours: readonly JudgedHour[],
  station: string,
  shares: SharesByHour,
): readonly Compared[] {
  return hours.flatMap(({ startMs, connectedMs, aircraft }) => {
    if (aircraft === null || aircraft.expected === 0) return [];
    const others = (shares.get(startMs) ?? []).filter((each) => each.station !== station);
    const isWeather = others.length > 0 && others.every(({ share }) => share < MIDDLE);
    return isWeather ? [] : [{ startMs, hours: connectedMs / HOUR_MS, ...aircraft }];
  });
}

function comparedWithWeeks(hours: readonly JudgedHour[]): readonly Compared[] {
  const rates = new Map(
    hours.flatMap(({ startMs, connectedMs, aircraft }): [number, number][] =>
      aircraft === null || connectedMs < CONNECTED_MIN_MS ? [] : [[startMs, aircraft.own / connectedMs]],
    ),
  );
  return hours.flatMap(({ startMs, connectedMs, aircraft }) => {
    const usual = Array.from(
      { length: WEEKS_MAX },
      (_, week) => rates.get(startMs - (week + 1) * WEEK_MS) ?? [],
    ).flat();
    if (aircraft === null || usual.length < WEEKS_MIN) return [];
    const expected = median(usual) * connectedMs;
    if (expected === 0) return [];
    const tracks = expected / POSITIONS_OF_TRACK;
    return [{ ...aircraft, startMs, hours: connectedMs / HOUR_MS, tracks, expected, received: aircraft.own }];
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

/**
 * Follows the hours with a cumulative sum. It is reset whenever the hours since its start are above `MIDDLE`, so its start
 * is when the loss began.
 */
function judge(hours: readonly Compared[], limits: readonly Limit[]): Judgement {
  let loss = new Run();
  let gain = new Run();
  let isDeaf = false;
  let movedMs: number | undefined;
  for (const hour of hours) {
    loss.add(hour);
    if (isDeaf) {
      gain.add(hour);
      if (gain.share <= MIDDLE) gain = new Run();
      else if (gain.reaches(RECOVERY) && gain.share > RECOVERED) [isDeaf, loss, gain] = [false, new Run(), new Run()];
    } else if (loss.share >= MIDDLE) loss = new Run();
    else if (limits.some((limit) => loss.reaches(limit) && loss.share < limit.share)) {
      isDeaf = loss.elsewhereShare <= MOVED_SHARE;
      if (!isDeaf) [movedMs, loss] = [hour.startMs, new Run()];
    }
  }
  const deaf = isDeaf && loss.startMs !== undefined ? { share: loss.share, sinceMs: loss.startMs } : undefined;
  return { deaf, movedMs };
}

/** Sums of consecutive hours. */
class Run {
  startMs: number | undefined;
  #hours = 0;
  #tracks = 0;
  #expected = 0;
  #received = 0;
  #own = 0;
  #elsewhere = 0;

  add({ startMs, hours, tracks, expected, received, own, elsewhere }: Compared): void {
    this.startMs ??= startMs;
    this.#hours += hours;
    this.#tracks += tracks;
    this.#expected += expected;
    this.#received += received;
    this.#own += own;
    this.#elsewhere += elsewhere;
  }

  get share(): number {
    return this.#received / this.#expected;
  }

  get elsewhereShare(): number {
    return this.#own === 0 ? 0 : this.#elsewhere / this.#own;
  }

  reaches({ hours, tracks }: Limit): boolean {
    return this.#hours >= hours && this.#tracks >= tracks;
  }
}
