import type { Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';

/** Longitude, latitude, time. */
const VALUES = 3;

/** One array: objects cost two to four reads of distant memory. */
export class LastPlaces {
  #values = new Float64Array(VALUES * 1024);
  readonly #free: number[] = [];
  #count = 0;

  /** @returns its slot */
  add(position: Position): number {
    const slot = this.#free.pop() ?? this.#count++;
    if (VALUES * this.#count > this.#values.length) {
      const values = new Float64Array(2 * this.#values.length);
      values.set(this.#values);
      this.#values = values;
    }
    this.set(slot, position);
    return slot;
  }

  set(slot: number, { lon, lat, observedAt }: Position): void {
    const at = VALUES * slot;
    this.#values[at] = lon;
    this.#values[at + 1] = lat;
    this.#values[at + 2] = epochMs(observedAt);
  }

  lon(slot: number): number {
    return this.#values[VALUES * slot] as number;
  }

  lat(slot: number): number {
    return this.#values[VALUES * slot + 1] as number;
  }

  atMs(slot: number): number {
    return this.#values[VALUES * slot + 2] as number;
  }

  delete(slot: number): void {
    this.#free.push(slot);
  }
}
