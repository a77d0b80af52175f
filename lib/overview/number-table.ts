const FIRST_SIZE = 64;

/** Distinct integers of up to 53 bits, numbered in the order in which they are added. Adding allocates nothing but growth. */
export class NumberTable {
  #numbers: Float64Array;
  /** Open addressing, at most half full: index + 1. */
  #places: Int32Array;
  #size = 0;

  /** @param expected how many: it grows beyond */
  constructor(expected = 0) {
    let size = FIRST_SIZE;
    while (size <= expected) size *= 2;
    this.#numbers = new Float64Array(size);
    this.#places = new Int32Array(2 * size);
  }

  get size(): number {
    return this.#size;
  }

  at(index: number): number {
    return this.#numbers[index] as number;
  }

  /** -1 where it is missing. */
  find(number: number): number {
    return (this.#places[this.#placeOf(number)] as number) - 1;
  }

  /** @returns the index, `size` before if it is new */
  add(number: number): number {
    const place = this.#placeOf(number);
    const known = this.#places[place] as number;
    if (known > 0) return known - 1;
    const index = this.#size++;
    this.#numbers[index] = number;
    this.#places[place] = index + 1;
    if (this.#size === this.#numbers.length) this.#grow();
    return index;
  }

  #placeOf(number: number): number {
    const places = this.#places;
    const mask = places.length - 1;
    let place = mixed(number) & mask;
    for (;;) {
      const known = places[place] as number;
      if (known === 0 || this.#numbers[known - 1] === number) return place;
      place = (place + 1) & mask;
    }
  }

  #grow(): void {
    const numbers = this.#numbers;
    this.#numbers = new Float64Array(2 * numbers.length);
    this.#numbers.set(numbers);
    this.#places = new Int32Array(4 * numbers.length);
    for (let index = 0; index < this.#size; index++) this.#places[this.#placeOf(numbers[index] as number)] = index + 1;
  }
}

function mixed(number: number): number {
  const high = (number / 4_294_967_296) | 0;
  let hash = Math.imul((number | 0) ^ Math.imul(high, 2_654_435_761), 1_597_334_677);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507);
  return hash ^ (hash >>> 13);
}
