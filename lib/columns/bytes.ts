/**
 * Numbers as bytes and back: fixed widths are little-endian, varints are LEB128 of up to 53 bits. The wire, the trails in
 * memory, the segments and the overview's hours are all written and read here.
 */

/** The bytes are cut short, altered or made up. A reader of this folder throws nothing else. */
export class DamagedBytes extends Error {
  override name = 'DamagedBytes';
}

/** The last byte of 53 bits begins here. A longer number is damaged. */
const LAST_FACTOR = 128 ** 7;

/** Every method throws DamagedBytes if the bytes end too early. */
export class ByteReader {
  #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Moves to other bytes. Hot loops keep one reader, since a new one is garbage. */
  moveTo(bytes: Uint8Array, at: number): void {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** A view of the next bytes, not a copy. */
  take(length: number): Uint8Array {
    const start = this.#at;
    this.#skip(length);
    return this.#bytes.subarray(start, this.#at);
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new DamagedBytes('it ends too early');
    return byte;
  }

  varint(): number {
    const byte = this.byte();
    return byte < 128 ? byte : this.#longer(byte - 128);
  }

  /** A varint that `svarint` of a writer made of a number of either sign. */
  svarint(): number {
    return unzigzag(this.varint());
  }

  uint32(): number {
    return this.int32() >>> 0;
  }

  int32(): number {
    const at = this.#at;
    this.#skip(4);
    const bytes = this.#bytes;
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  }

  float64(): number {
    const { buffer, byteOffset, byteLength } = this.take(8);
    return new DataView(buffer, byteOffset, byteLength).getFloat64(0, true);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#at);
  }

  /** @throws DamagedBytes unless everything was read */
  end(): void {
    if (!this.isAtEnd) throw new DamagedBytes('it is longer than it should be');
  }

  #skip(length: number): void {
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new DamagedBytes('it ends too early');
  }

  #longer(low: number): number {
    let value = low;
    for (let factor = 128; factor <= LAST_FACTOR; factor *= 128) {
      const more = this.byte();
      value += (more & 127) * factor;
      if (more < 128) return value;
    }
    throw new DamagedBytes('a number of more than 53 bits');
  }
}

/** Writes what `ByteReader` reads by the methods of the same names. It grows as needed. */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve();
    this.#bytes[this.#length++] = value;
  }

  varint(value: number): void {
    this.#reserve();
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  svarint(value: number): void {
    this.varint(zigzag(value));
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  copyTo(target: Uint8Array, at: number): void {
    for (let index = 0; index < this.#length; index += 1) target[at + index] = this.#bytes[index]!;
  }

  /** Begins again. Hot loops keep one writer, since a new one is garbage. */
  clear(): void {
    this.#length = 0;
  }

  #reserve(): void {
    if (this.#length + 8 <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

export function uint32Bytes(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setUint32(4 * index, value, true);
  return bytes;
}

/** 0, −1, 1, −2, 2, … become 0, 1, 2, 3, 4, …: differences of either sign become small numbers. */
export function zigzag(difference: number): number {
  // Nearly all differences have 32 bits, for which shifts are faster, also in `unzigzag`.
  if ((difference | 0) === difference) return ((difference << 1) ^ (difference >> 31)) >>> 0;
  return difference < 0 ? -2 * difference - 1 : 2 * difference;
}

/** @param number of 53 bits; with 32, it may have a sign */
export function unzigzag(number: number): number {
  if (number <= 0xffffffff) return (number >>> 1) ^ -(number & 1);
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}
