import 'server-only';
import { UNREPORTED } from '#lib/columns/column.ts';

const HALF_TURN = 180e6;
/** Times the last interval, for a predicted motion. */
const MAX_STEPS_AHEAD = 4;

/**
 * In steps: milliseconds, 1e-6°, 0.01 m. Places are predicted along the line through the last two, so differences are
 * small.
 */
export class PlaceDifferences {
  atMs = 0;
  lon = 0;
  lat = 0;
  height = UNREPORTED;
  /** To the next place; a height difference of 0 means not reported. */
  byMs = 0;
  byLon = 0;
  byLat = 0;
  byHeight = 0;
  #stepMs = 0;
  #stepLon = 0;
  #stepLat = 0;
  /** The last reported one. */
  #knownHeight = 0;
  #count = 0;

  /** Before the first place of a track. */
  begin(): void {
    this.#count = 0;
    this.#knownHeight = 0;
    this.atMs = 0;
    this.lon = 0;
    this.lat = 0;
  }

  goTo(atMs: number, lon: number, lat: number, height: number): void {
    this.byMs = atMs - this.atMs;
    this.byLon = lon - this.#expectedLon();
    this.byLat = lat - this.#expectedLat();
    this.byHeight = 0;
    if (height !== UNREPORTED) {
      const climbed = height - this.#knownHeight;
      this.byHeight = climbed < 0 ? climbed : climbed + 1;
    }
    this.#move(atMs, lon, lat, height);
  }

  follow(): void {
    const { byHeight } = this;
    const height = byHeight === 0 ? UNREPORTED : this.#knownHeight + (byHeight < 0 ? byHeight : byHeight - 1);
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
    if (height !== UNREPORTED) this.#knownHeight = height;
    this.#count++;
  }
}

function shortWay(lon: number): number {
  return lon > HALF_TURN ? lon - 2 * HALF_TURN : lon < -HALF_TURN ? lon + 2 * HALF_TURN : lon;
}
