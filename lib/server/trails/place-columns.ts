import 'server-only';

/** In the steps of `PlaceDifferences`. */
export class PlaceColumns {
  count = 0;
  atMs = new Float64Array(256);
  lon = new Int32Array(256);
  lat = new Int32Array(256);
  height = new Int32Array(256);

  clear(): void {
    this.count = 0;
  }

  push(atMs: number, lon: number, lat: number, height: number): void {
    const index = this.count++;
    if (index === this.atMs.length) this.#grow();
    this.atMs[index] = atMs;
    this.lon[index] = lon;
    this.lat[index] = lat;
    this.height[index] = height;
  }

  /** By time. They nearly always are sorted. */
  sort(): void {
    let isSorted = true;
    for (let index = 1; index < this.count && isSorted; index++) {
      isSorted = (this.atMs[index] as number) >= (this.atMs[index - 1] as number);
    }
    if (isSorted) return;
    const order = Array.from({ length: this.count }, (_, index) => index);
    order.sort((a, b) => (this.atMs[a] as number) - (this.atMs[b] as number));
    for (const column of [this.atMs, this.lon, this.lat, this.height]) {
      column.set(order.map((index) => column[index] as number));
    }
  }

  #grow(): void {
    const capacity = this.atMs.length * 2;
    const { atMs, lon, lat, height } = this;
    this.atMs = new Float64Array(capacity);
    this.lon = new Int32Array(capacity);
    this.lat = new Int32Array(capacity);
    this.height = new Int32Array(capacity);
    this.atMs.set(atMs);
    this.lon.set(lon);
    this.lat.set(lat);
    this.height.set(height);
  }
}
