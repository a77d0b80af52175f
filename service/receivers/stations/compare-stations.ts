import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Fix, TrackKey } from '../fix.ts';
import { type AircraftHour, NO_AIRCRAFT } from './deafness.ts';
import { dayStartMs } from './station-tally.ts';
import { cellOf, type UsualReach } from './usual-reach.ts';

export interface ComparedStation {
  readonly id: string;
  /** When it began to receive; undefined while it does not, or counts as another one. */
  readonly receivesSinceMs: number | undefined;
}

interface Aircraft {
  cell: number;
  /** Positions by station. */
  readonly positions: Map<string, number>;
  /** The last place by station: polled positions are repeated. */
  readonly lastPlaces: Map<string, string>;
}

type ComparedFix = Pick<Fix, 'layer' | 'trackKey' | 'lon' | 'lat' | 'altitudeM' | 'origin'>;

/**
 * Compares what stations hear of the same aircraft, minute by minute. That an aircraft is there is known from another
 * station. Its own earlier days in the same place show how much the station should hear of it. So neither a better
 * neighbour nor other traffic looks like a loss.
 */
export class StationComparison {
  readonly #reach: UsualReach;
  readonly #totals = new Map<string, AircraftHour>();
  #aircraft = new Map<TrackKey, Aircraft>();
  /** The aircraft of the hour, by station. */
  #counted = new Map<string, Set<TrackKey>>();
  #hour = Number.NaN;
  #minuteMs: number | undefined;

  constructor(reach: UsualReach) {
    this.#reach = reach;
  }

  /** Sums since the start of the service. */
  totalsOf(station: string): Readonly<AircraftHour> {
    return this.#totals.get(station) ?? NO_AIRCRAFT;
  }

  /** Measured and repeated positions say nothing about what an antenna hears. */
  note(station: string, fixes: readonly ComparedFix[]): void {
    for (const { layer, trackKey, lon, lat, altitudeM, origin } of fixes) {
      if (layer !== 'adsb' || (origin !== 'broadcast' && origin !== 'unknown')) continue;
      let aircraft = this.#aircraft.get(trackKey);
      if (!aircraft) {
        aircraft = { cell: cellOf(lon, lat, altitudeM), positions: new Map(), lastPlaces: new Map() };
        this.#aircraft.set(trackKey, aircraft);
      }
      const place = `${lon} ${lat}`;
      if (aircraft.lastPlaces.get(station) === place) continue;
      aircraft.lastPlaces.set(station, place);
      aircraft.positions.set(station, (aircraft.positions.get(station) ?? 0) + 1);
    }
  }

  /** Call it about once a second. It counts the aircraft of a minute once that is over. @param wallMs the wall clock */
  moveTo(steadyMs: number, wallMs: number, stations: readonly ComparedStation[]): void {
    const beganMs = this.#minuteMs ?? steadyMs;
    this.#minuteMs = beganMs;
    if (steadyMs - beganMs < MINUTE_MS) return;
    this.#minuteMs = steadyMs;
    const aircraft = this.#aircraft;
    this.#aircraft = new Map();
    // The machine slept, or more than the minute would be compared.
    if (steadyMs - beganMs > 2 * MINUTE_MS) return;
    this.#reach.moveTo(dayStartMs(wallMs));
    const hour = Math.floor(wallMs / (60 * MINUTE_MS));
    if (hour !== this.#hour) this.#counted = new Map();
    this.#hour = hour;
    for (const { id, receivesSinceMs } of stations) {
      if (receivesSinceMs !== undefined && receivesSinceMs <= beganMs) this.#count(id, aircraft);
    }
  }

  #count(station: string, all: ReadonlyMap<TrackKey, Aircraft>): void {
    const totals = { ...this.totalsOf(station) };
    for (const [key, { cell, positions }] of all) {
      const own = positions.get(station) ?? 0;
      const isShared = positions.size > (own > 0 ? 1 : 0);
      totals.own += own;
      if (!this.#reach.isKnown(station, cell)) totals.elsewhere += own;
      const usual = isShared ? this.#reach.usualPositions(station, cell) : undefined;
      if (usual !== undefined) {
        totals.expected += usual;
        totals.received += own;
        totals.tracks += this.#isFirst(station, key) ? 1 : 0;
      }
      this.#reach.note(station, cell, own, isShared);
    }
    this.#totals.set(station, totals);
  }

  #isFirst(station: string, key: TrackKey): boolean {
    let counted = this.#counted.get(station);
    if (!counted) {
      counted = new Set();
      this.#counted.set(station, counted);
    }
    const { size } = counted;
    return counted.add(key).size > size;
  }
}
