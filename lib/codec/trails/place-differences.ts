/** In `height`: not reported. */
export const NO_HEIGHT = -0x80000000;
/** 10,000 km in steps of 0.01 m; what is reported beyond it is clamped, so that differences fit 32 bits. */
const MAX_HEIGHT = 1e9;

const HALF_TURN = 180e6;
/** A track is not expected to go on as before for more than this many of its last steps. */
const MAX_STEPS_AHEAD = 4;

/** A height in metres as steps. @param metres NaN if not reported */
export function heightSteps(metres: number): number {
  if (Number.isNaN(metres)) return NO_HEIGHT;
  return Math.max(-MAX_HEIGHT, Math.min(MAX_HEIGHT, Math.round(metres * 100)));
}

/**
 * The received places of a track as differences, in whole steps (record-fields.ts): time in milliseconds, longitude and latitude in
 * 1e-6°, height in 0.01 m. Each is expected where the last two lead, so that what is written is small. The first one
 * is written as it is. Only operations with exactly specified results are used: who reads has to expect the same.
 */
export class PlaceDifferences {
  /** The last place. */
  atMs = 0;
  lon = 0;
  lat = 0;
  height = NO_HEIGHT;
  /** From the last place to the next one; 0 of the height: not reported. */
  byMs = 0;
  byLon = 0;
  byLat = 0;
  byHeight = 0;
  #stepMs = 0;
  #stepLon = 0;
  #stepLat = 0;
  /** The last one reported. */
  #knownHeight = 0;
  #count = 0;

  /** The next place is the first of a track. */
  begin(): void {
    this.#count = 0;
    this.#knownHeight = 0;
    this.atMs = 0;
    this.lon = 0;
    this.lat = 0;
  }

  /** Sets the differences to the next place, which becomes the last. */
  goTo(atMs: number, lon: number, lat: number, height: number): void {
    this.byMs = atMs - this.atMs;
    this.byLon = lon - this.#expectedLon();
    this.byLat = lat - this.#expectedLat();
    this.byHeight = 0;
    if (height !== NO_HEIGHT) {
      const climbed = height - this.#knownHeight;
      this.byHeight = climbed < 0 ? climbed : climbed + 1;
    }
    this.#move(atMs, lon, lat, height);
  }

  /** Moves on by the differences that were set. */
  follow(): void {
    const { byHeight } = this;
    const height = byHeight === 0 ? NO_HEIGHT : this.#knownHeight + (byHeight < 0 ? byHeight : byHeight - 1);
    this.#move(this.atMs + this.byMs, this.#expectedLon() + this.byLon, this.#expectedLat() + this.byLat, height);
  }

  #expectedLon(): number {
    const lon = this.lon + this.#ahead(this.#stepLon);
    return lon > HALF_TURN ? lon - 2 * HALF_TURN : lon < -HALF_TURN ? lon + 2 * HALF_TURN : lon;
  }

  #expectedLat(): number {
    return this.lat + this.#ahead(this.#stepLat);
  }

  #ahead(step: number): number {
    if (this.#count < 2 || this.#stepMs <= 0 || this.byMs < 0 || this.byMs > MAX_STEPS_AHEAD * this.#stepMs) return 0;
    return Math.round((step * this.byMs) / this.#stepMs);
  }

  #move(atMs: number, lon: number, lat: number, height: number): void {
    if (this.#count > 0) {
      this.#stepMs = atMs - this.atMs;
      this.#stepLon = shortWay(lon - this.lon);
      this.#stepLat = lat - this.lat;
    }
    this.atMs = atMs;
    this.lon = lon;
    this.lat = lat;
    this.height = height;
    if (height !== NO_HEIGHT) this.#knownHeight = height;
    this.#count++;
  }
}

function shortWay(lon: number): number {
  return lon > HALF_TURN ? lon - 2 * HALF_TURN : lon < -HALF_TURN ? lon + 2 * HALF_TURN : lon;
}
