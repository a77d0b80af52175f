import type { FirstObservations } from '#lib/picture/pictured-tracks.ts';

/** NaN for tracks that were there when their place was first read. */
export class TrackBeginnings implements FirstObservations {
  #atMs = new Float64Array(0);
  #lon = new Float64Array(0);
  #lat = new Float64Array(0);

  atMs(slot: number): number {
    return this.#atMs[slot] ?? Number.NaN;
  }

  lon(slot: number): number {
    return this.#lon[slot] ?? Number.NaN;
  }

  lat(slot: number): number {
    return this.#lat[slot] ?? Number.NaN;
  }

  set(slot: number, capacity: number, atMs: number, lon: number, lat: number): void {
    if (this.#atMs.length < capacity) {
      this.#atMs = grown(this.#atMs, capacity);
      this.#lon = grown(this.#lon, capacity);
      this.#lat = grown(this.#lat, capacity);
    }
    this.#atMs[slot] = atMs;
    this.#lon[slot] = lon;
    this.#lat[slot] = lat;
  }
}

function grown(column: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const bigger = new Float64Array(capacity);
  bigger.set(column);
  return bigger;
}
