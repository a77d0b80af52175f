import { bearingDeg, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import type { Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { Display } from '../display/display.ts';
import { ValueStore } from '../value-store.ts';
import { type Anchor, type MeasuringState, NOTHING_MEASURED } from './measuring-state.ts';

/** `ended`: removed, at its last received position. `unseen`: not shown at a replay's time, without a position. */
export type AnchorStatus = 'place' | 'current' | 'expired' | 'ended' | 'unseen';

export interface PlacedAnchor {
  readonly ref: string | undefined;
  readonly status: AnchorStatus;
  readonly at: LonLat | undefined;
  readonly simulated: boolean;
  readonly testBroadcast: boolean;
}

export interface Leg {
  /** `undefined` if an end is at no position. */
  readonly distanceM: number | undefined;
  /** Initial bearing, clockwise from true north; `undefined` also if both ends are at one place. */
  readonly bearingDeg: number | undefined;
}

export interface MeasuringReading {
  readonly points: readonly PlacedAnchor[];
  readonly legs: readonly Leg[];
  /** `undefined` without legs, or if one of them is unknown. */
  readonly totalM: number | undefined;
  readonly ringCentres: readonly PlacedAnchor[];
}

export const NOTHING_READ: MeasuringReading = { points: [], legs: [], totalM: undefined, ringCentres: [] };

interface ReceivedTrack {
  readonly position: Position;
  readonly expired: boolean;
}

export interface TracksNow {
  readonly isPast: boolean;
  /** `undefined` if the track is not in the picture. */
  readonly trackOf: (ref: string) => ReceivedTrack | undefined;
  readonly lastOf: (ref: string) => Position | undefined;
}

/**
 * The operator's measurement, and its reading now. Every answer and every step of a replay looks up the measured tracks again:
 * an end moves only with a new position of its track. Only `change` changes the state.
 */
export class Measuring {
  readonly state = new ValueStore<MeasuringState>(NOTHING_MEASURED);
  /** The same object until something in it changes. */
  readonly reading = new ValueStore(NOTHING_READ);
  readonly #display: Pick<Display, 'tracks' | 'summary'>;
  readonly #last = new Map<string, Position>();
  #wasPast = false;

  constructor(display: Pick<Display, 'tracks' | 'summary' | 'subscribe'>) {
    this.#display = display;
    display.subscribe(() => this.#update());
    this.state.subscribe(() => this.#update());
  }

  readonly change = (by: (state: MeasuringState) => MeasuringState): boolean => {
    const before = this.state.get();
    this.state.set(by(before));
    return this.state.get() !== before;
  };

  #update(): void {
    const state = this.state.get();
    const { isPast, shownAt } = this.#display.summary();
    if (isPast !== this.#wasPast) this.#last.clear();
    this.#wasPast = isPast;
    const nowMs = shownAt === undefined ? 0 : epochMs(shownAt);
    const next = measuringReading(state, {
      isPast,
      trackOf: (ref) => this.#trackOf(ref, nowMs),
      lastOf: (ref) => this.#last.get(ref),
    });
    // The reading is compared by value: map, strip and table redraw only what changed.
    if (JSON.stringify(next) !== JSON.stringify(this.reading.get())) this.reading.set(next);
  }

  #trackOf(ref: string, nowMs: number): ReceivedTrack | undefined {
    const { tracks } = this.#display;
    const slot = tracks.slotOf(ref);
    if (slot === undefined) return undefined;
    const position = tracks.positionAt(slot);
    this.#last.set(ref, position);
    return { position, expired: nowMs >= (tracks.columns.expiresAtMs[slot] as number) };
  }
}

export function measuringReading(state: MeasuringState, now: TracksNow): MeasuringReading {
  const points = state.points.map((anchor) => placedAnchor(anchor, now));
  const legs = points.slice(1).map((to, index) => leg(points[index]?.at, to.at));
  const rings: Anchor[] = [
    ...(state.ringPlace ? [{ place: state.ringPlace }] : []),
    ...(state.ringRef === undefined ? [] : [{ ref: state.ringRef }]),
  ];
  return {
    points,
    legs,
    totalM: legs.length > 0 ? sum(legs) : undefined,
    ringCentres: rings.map((anchor) => placedAnchor(anchor, now)),
  };
}

function placedAnchor({ place, ref }: Anchor, now: TracksNow): PlacedAnchor {
  if (place) return { ref: undefined, status: 'place', at: place, simulated: false, testBroadcast: false };
  const track = now.trackOf(ref);
  // Never use a position from a time other than the shown one.
  const position = track?.position ?? (now.isPast ? undefined : now.lastOf(ref));
  return {
    ref,
    status: track ? (track.expired ? 'expired' : 'current') : position ? 'ended' : 'unseen',
    at: position && { lon: position.lon, lat: position.lat },
    simulated: position?.simulated ?? false,
    testBroadcast: position?.testBroadcast ?? false,
  };
}

function leg(from: LonLat | undefined, to: LonLat | undefined): Leg {
  if (!from || !to) return { distanceM: undefined, bearingDeg: undefined };
  const lengthM = distanceM(from, to);
  return { distanceM: lengthM, bearingDeg: lengthM > 0 ? bearingDeg(from, to) : undefined };
}

function sum(legs: readonly Leg[]): number | undefined {
  let totalM = 0;
  for (const { distanceM: lengthM } of legs) {
    if (lengthM === undefined) return undefined;
    totalM += lengthM;
  }
  return totalM;
}
