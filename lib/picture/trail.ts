import { AGEING } from '#lib/model/ageing.ts';
import type { TrackKind } from '#lib/model/position.ts';

/** How far apart in time two received positions of a track may be to be joined. */
export interface TrailLimits {
  /** Up to this, inclusive, by a solid line. */
  readonly solidMs: number;
  /** Up to this, inclusive, by a dotted connector that claims no path; beyond it by nothing. */
  readonly dottedMs: number;
}

/**
 * Lookout's own statement. Solid: aircraft are seen every few seconds (receivers' logs step by 5 to 10 s), drones send every
 * second (ASTM F3411), and some messages are missed. Dotted: as long as a mark is drawn after its last position where
 * nothing else is known of its lifetime (model/ageing.ts); once it was removed, nothing joins it to what comes later.
 */
export const TRAIL_LIMITS: Readonly<Record<TrackKind, TrailLimits>> = {
  aircraft: { solidMs: 30_000, dottedMs: drawnMs('aircraft') },
  drone: { solidMs: 10_000, dottedMs: drawnMs('drone') },
};

function drawnMs(kind: TrackKind): number {
  return AGEING[kind].fallbackTtlMs + AGEING[kind].coastMs;
}

/**
 * Received positions of one or more tracks as lines, in reusable columns. A run is a stretch of positions that solid lines
 * join; a run may be a single position. Longitudes within a track go on beyond ±180 rather than jump across the map.
 */
export class Trail {
  /** Longitude and latitude of each position in turn, degrees. */
  coordinates = new Float64Array(512);
  /** When each was observed, milliseconds of the epoch. */
  observedAtMs = new Float64Array(256);
  pointCount = 0;
  /** Where each run starts, as an index of its first position; it ends where the next one starts. */
  runStarts = new Uint32Array(16);
  /** 1 where a dotted connector leads from the end of the run before to the start of this one. */
  runConnected = new Uint8Array(16);
  runCount = 0;
  #limits: TrailLimits = TRAIL_LIMITS.aircraft;
  #isFirstOfTrack = true;

  clear(): void {
    this.pointCount = 0;
    this.runCount = 0;
    this.#isFirstOfTrack = true;
  }

  /** What is added from here on is another track. */
  beginTrack(limits: TrailLimits): void {
    this.#limits = limits;
    this.#isFirstOfTrack = true;
  }

  /** Adds a position of the track, later than the one before. */
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

  /** Before which position a run ends. */
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
