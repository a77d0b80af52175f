import { AGEING } from '#lib/model/ageing.ts';
import type { TrackKind } from '#lib/model/position.ts';

/** The largest time gaps across which two received positions of a track are joined. */
export interface TrailLimits {
  /** Up to this gap, inclusive: a solid line. */
  readonly solidMs: number;
  /** Up to this gap, inclusive: a dotted connector, which does not claim a path. Larger gaps are not joined. */
  readonly dottedMs: number;
}

/**
 * Lookout's own choice. Solid: aircraft are received every few seconds (receivers' logs have steps of 5 to 10 s), drones
 * broadcast every second (ASTM F3411), and some messages are missed. Dotted: as long as a mark is drawn after its last
 * position, with the fallback time to live (model/ageing.ts); after it was removed, it is not joined to later positions.
 */
export const TRAIL_LIMITS: Readonly<Record<TrackKind, TrailLimits>> = {
  aircraft: { solidMs: 30_000, dottedMs: drawnMs('aircraft') },
  drone: { solidMs: 10_000, dottedMs: drawnMs('drone') },
};

function drawnMs(kind: TrackKind): number {
  return AGEING[kind].fallbackTtlMs + AGEING[kind].expiredMs;
}

/**
 * Received positions of one or more tracks as lines, in reusable columns. A run is a sequence of positions joined by solid
 * lines, possibly a single position. Longitudes within a track continue beyond ±180 rather than jump across the map.
 */
export class Trail {
  /** Longitude and latitude of each position, interleaved, in degrees. */
  coordinates = new Float64Array(512);
  /** When each was observed, epoch milliseconds. */
  observedAtMs = new Float64Array(256);
  pointCount = 0;
  /** Index of the first position of each run; a run ends where the next one starts. */
  runStarts = new Uint32Array(16);
  /** 1 if a dotted connector joins the end of the previous run to the start of this one. */
  runConnected = new Uint8Array(16);
  runCount = 0;
  #limits: TrailLimits = TRAIL_LIMITS.aircraft;
  #isFirstOfTrack = true;

  clear(): void {
    this.pointCount = 0;
    this.runCount = 0;
    this.#isFirstOfTrack = true;
  }

  /** Starts a new track: positions added from now on belong to it. */
  beginTrack(limits: TrailLimits): void {
    this.#limits = limits;
    this.#isFirstOfTrack = true;
  }

  /** Adds a position of the current track, later than the previous one. */
  add(observedAtMs: number, lon: number, lat: number): void {
    const index = this.pointCount;
    if (index === this.observedAtMs.length) this.#growPoints();
    if (this.#isFirstOfTrack) {
      this.#beginRun(index, false);
      this.coordinates[index * 2] = lon;
    } else {
      const gapMs = observedAtMs - (this.observedAtMs[index - 1] as number);
      if (gapMs > this.#limits.solidMs) this.#beginRun(index, gapMs <= this.#limits.dottedMs);
      const lonBefore = this.coordinates[index * 2 - 2] as number;
      this.coordinates[index * 2] = lon + Math.round((lonBefore - lon) / 360) * 360;
    }
    this.coordinates[index * 2 + 1] = lat;
    this.observedAtMs[index] = observedAtMs;
    this.pointCount++;
    this.#isFirstOfTrack = false;
  }

  /** Index after the last position of a run. */
  runEnd(run: number): number {
    return run + 1 < this.runCount ? (this.runStarts[run + 1] as number) : this.pointCount;
  }

  #beginRun(index: number, connected: boolean): void {
    if (this.runCount === this.runStarts.length) {
      const [starts, flags] = [this.runStarts, this.runConnected];
      this.runStarts = new Uint32Array(starts.length * 2);
      this.runStarts.set(starts);
      this.runConnected = new Uint8Array(starts.length * 2);
      this.runConnected.set(flags);
    }
    this.runStarts[this.runCount] = index;
    this.runConnected[this.runCount] = connected ? 1 : 0;
    this.runCount++;
  }

  #growPoints(): void {
    const [coordinates, observedAtMs] = [this.coordinates, this.observedAtMs];
    this.coordinates = new Float64Array(coordinates.length * 2);
    this.coordinates.set(coordinates);
    this.observedAtMs = new Float64Array(observedAtMs.length * 2);
    this.observedAtMs.set(observedAtMs);
  }
}
