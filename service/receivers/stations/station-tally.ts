import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { dropOldestDays, valuesOfDay } from '../../past/files/day-files.ts';
import { type AircraftHour, NO_AIRCRAFT } from './deafness.ts';

export interface StationSample {
  readonly id: string;
  readonly simulated: boolean;
  readonly isConnected: boolean;
  /** The time since the latest message, or since it connected if that was later. */
  readonly quietMs: number;
  /** Fixes since the start of the service, each once. */
  readonly fixes: number;
  /** `FusedFeed.alone` since the start of the service. */
  readonly alone: number;
  readonly clockErrorMs: number | undefined;
  readonly clockSpreadMs: number;
  /** Sums since the start of the service. */
  readonly aircraft: Readonly<AircraftHour>;
}

export interface StationHour {
  /** How much of the hour was recorded. The rest is not known. */
  recordedMs: number;
  notConnectedMs: number;
  /** The time in which it was connected, and more than `SILENT_AFTER_MS` after the latest message. */
  silentMs: number;
  fixes: number;
  alone: number;
  /** The median of the minutes since the service started in this hour; null if not known. */
  clockErrorMs: number | null;
  /** The greatest spread of these minutes; null if not known. */
  clockSpreadMs: number | null;
  simulated: boolean;
  /** null in hours that an earlier Lookout recorded, which did not compare stations. */
  aircraft: AircraftHour | null;
}

/** Hours by station. A missing hour was not recorded. */
export type StationDay = Map<string, (StationHour | undefined)[]>;

/** Polls of a receiver that writes once a second can miss some seconds. */
export const SILENT_AFTER_MS = 10 * SECOND_MS;
/** A longer gap between samples is not known: the machine or the process was suspended. */
export const SAMPLE_GAP_MAX_MS = 5 * SECOND_MS;
/** So many days reach thirty days back from any time of a day. */
export const DAYS_KEPT = 31;
const HOURS = DAY_MS / HOUR_MS;

type Latest = Pick<StationSample, 'fixes' | 'alone' | 'aircraft'>;

interface MinuteClocks {
  readonly hourMs: number;
  minute: number;
  readonly errorsMs: number[];
}

/** Hours are those of the wall clock in UTC. A clock that is set does not change the size of what is kept. */
export class StationTally {
  /** Days by their start, in ms since 1970. */
  readonly #days: Map<number, StationDay>;
  #latest = new Map<string, Latest>();
  readonly #clocks = new Map<string, MinuteClocks>();
  #sampledMs: number | undefined;

  constructor(days: ReadonlyMap<number, StationDay> = new Map()) {
    this.#days = new Map(days);
    dropOldestDays(this.#days, DAYS_KEPT);
  }

  get days(): ReadonlyMap<number, StationDay> {
    return this.#days;
  }

  /**
   * Call it about once a second.
   * @returns the start of the day that changed
   */
  sample(wallMs: number, steadyMs: number, stations: readonly StationSample[]): number {
    const passedMs = steadyMs - (this.#sampledMs ?? steadyMs);
    const countedMs = passedMs > SAMPLE_GAP_MAX_MS ? 0 : passedMs;
    this.#sampledMs = steadyMs;
    const hourMs = Math.floor(wallMs / HOUR_MS) * HOUR_MS;
    const latest = new Map<string, Latest>();
    for (const station of stations) {
      const { id, fixes, alone, aircraft } = station;
      const before = this.#latest.get(id);
      latest.set(id, { fixes, alone, aircraft });
      const hour = this.#hourOf(id, hourMs);
      if (before) addTime(hour, countedMs, station);
      hour.fixes += fixes - (before?.fixes ?? 0);
      // A fix of the last seconds before the hour may turn out to be shared in this one.
      hour.alone = Math.max(0, hour.alone + alone - (before?.alone ?? 0));
      if (hour.aircraft) hour.aircraft = sumOf(hour.aircraft, aircraft, before?.aircraft);
      hour.simulated ||= station.simulated;
      this.#noteClock(hour, hourMs, wallMs, station);
    }
    this.#latest = new Map([...this.#latest, ...latest]);
    return dayStartMs(hourMs);
  }

  #hourOf(id: string, hourMs: number): StationHour {
    const dayMs = dayStartMs(hourMs);
    const day = valuesOfDay(this.#days, dayMs, DAYS_KEPT);
    let hours = day.get(id);
    if (!hours) {
      hours = Array.from({ length: HOURS });
      day.set(id, hours);
    }
    const index = (hourMs - dayMs) / HOUR_MS;
    hours[index] ??= {
      recordedMs: 0,
      notConnectedMs: 0,
      silentMs: 0,
      fixes: 0,
      alone: 0,
      clockErrorMs: null,
      clockSpreadMs: null,
      simulated: false,
      aircraft: { ...NO_AIRCRAFT },
    };
    return hours[index];
  }

  #noteClock(hour: StationHour, hourMs: number, wallMs: number, station: StationSample): void {
    if (station.clockErrorMs === undefined) return;
    let clocks = this.#clocks.get(station.id);
    if (clocks?.hourMs !== hourMs) {
      clocks = { hourMs, minute: -1, errorsMs: [] };
      this.#clocks.set(station.id, clocks);
      hour.clockSpreadMs = null;
    }
    const minute = Math.floor(wallMs / MINUTE_MS);
    if (minute === clocks.minute) return;
    clocks.minute = minute;
    clocks.errorsMs.push(Math.round(station.clockErrorMs));
    clocks.errorsMs.sort((a, b) => a - b);
    hour.clockErrorMs = clocks.errorsMs[clocks.errorsMs.length >> 1]!;
    hour.clockSpreadMs = Math.max(hour.clockSpreadMs ?? 0, Math.round(station.clockSpreadMs));
  }
}

function sumOf(
  sum: AircraftHour,
  to: Readonly<AircraftHour>,
  from: Readonly<AircraftHour> = NO_AIRCRAFT,
): AircraftHour {
  return {
    tracks: sum.tracks + to.tracks - from.tracks,
    expected: sum.expected + to.expected - from.expected,
    received: sum.received + to.received - from.received,
    own: sum.own + to.own - from.own,
    elsewhere: sum.elsewhere + to.elsewhere - from.elsewhere,
  };
}

function addTime(hour: StationHour, ms: number, { isConnected, quietMs }: StationSample): void {
  hour.recordedMs += ms;
  if (!isConnected) hour.notConnectedMs += ms;
  else if (quietMs > SILENT_AFTER_MS) hour.silentMs += ms;
}

export function dayStartMs(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}
