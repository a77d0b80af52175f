/** Reads what ByteWriter wrote. Every method throws an Error where the bytes end too early. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    return this.#bytes[this.#take(1)] as number;
  }

  uint32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  float64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
    }
    throw new Error('the frame is damaged: a number is too large');
  }

  /** A count of things that take at least `bytesEach` each: a damaged count must not claim memory that no frame fills. */
  count(bytesEach: number): number {
    const count = this.varint();
    if (count * bytesEach > this.left) throw new Error('the frame is cut or damaged: a count is too large');
    return count;
  }

  text(): string {
    const length = this.count(1);
    const units: string[] = [];
    for (let at = 0; at < length; at++) {
      const unit = this.varint();
      if (unit > 0xffff) throw new Error('the frame is damaged: a text holds no such character');
      units.push(String.fromCharCode(unit));
    }
    return units.join('');
  }

  /** A part of the bytes that were given, not a copy. */
  bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  signedVarint(): number {
    const folded = this.varint();
    if (folded > 0xffffffff) throw new Error('the frame is damaged: a number is too large');
    return (folded >>> 1) ^ -(folded & 1);
  }

  #take(length: number): number {
    if (length > this.left) throw new Error('the frame is cut');
    const at = this.#at;
    this.#at += length;
    return at;
  }
}
