/** Unsigned LEB128, for integers of up to 53 bits. */
export class VarintWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  put(value: number): void {
    if (this.#length + 8 > this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#bytes.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Below 256. */
  putByte(value: number): void {
    this.put(0);
    this.#bytes[this.#length - 1] = value;
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** By `putByte`. @throws RangeError beyond the end */
  nextByte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError('the bytes end early');
    return byte;
  }

  /** @throws RangeError beyond the end */
  next(): number {
    const byte = this.nextByte();
    return byte < 128 ? byte : this.#longer(byte - 128);
  }

  #longer(low: number): number {
    let value = low;
    for (let factor = 128; ; factor *= 128) {
      const more = this.nextByte();
      value += (more & 127) * factor;
      if (more < 128) return value;
    }
  }
}

export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
