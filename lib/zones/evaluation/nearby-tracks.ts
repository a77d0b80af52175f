import { EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { eastwardDeg } from '#lib/geo/longitude.ts';

interface Placed {
  readonly position: LonLat;
}

const CELL_DEG = 0.1;
const COLUMNS = 3600;
const ROWS = 1800;

/** Tracks by last position, in cells of 0.1°. */
export class NearbyTracks<Track extends Placed> {
  readonly #cells = new Map<number, Set<Track>>();
  readonly #cellOf = new Map<Track, number>();

  put(track: Track): void {
    const cell = rowOf(track.position.lat) * COLUMNS + columnOf(track.position.lon);
    const before = this.#cellOf.get(track);
    if (before === cell) return;
    if (before !== undefined) this.#cells.get(before)?.delete(track);
    this.#cellOf.set(track, cell);
    const tracks = this.#cells.get(cell);
    if (tracks) tracks.add(track);
    else this.#cells.set(cell, new Set([track]));
  }

  delete(track: Track): void {
    const cell = this.#cellOf.get(track);
    if (cell !== undefined) this.#cells.get(cell)?.delete(track);
    this.#cellOf.delete(track);
  }

  /**
   * Tracks within the distance, and some beyond. Counts cells instead of growing a box to cut up: it runs for each
   * watched track of each picture.
   */
  *within(place: LonLat, distanceM: number): Generator<Track> {
    const latDeg = (distanceM / EARTH_RADIUS_M) * (180 / Math.PI);
    const [south, north] = [rowOf(place.lat - latDeg), rowOf(place.lat + latDeg)];
    const farthest = Math.min(89.9, Math.abs(place.lat) + latDeg);
    const columns = Math.min(COLUMNS / 2 - 1, Math.ceil(latDeg / Math.cos((farthest * Math.PI) / 180) / CELL_DEG));
    const middle = columnOf(place.lon);
    for (let row = south; row <= north; row++) {
      for (let column = middle - columns; column <= middle + columns; column++) {
        const tracks = this.#cells.get(row * COLUMNS + ((column + COLUMNS) % COLUMNS));
        if (tracks) yield* tracks;
      }
    }
  }
}

function rowOf(lat: number): number {
  return Math.max(0, Math.min(ROWS - 1, Math.floor((lat + 90) / CELL_DEG)));
}

function columnOf(lon: number): number {
  return Math.floor(eastwardDeg(-180, lon) / CELL_DEG) % COLUMNS;
}
