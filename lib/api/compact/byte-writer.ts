/** Writes numbers and texts one after the other; numbers of several bytes are little-endian. */
export class ByteWriter {
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  written(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  byte(value: number): void {
    this.#grow(1);
    this.#bytes[this.#length++] = value;
  }

  uint32(value: number): void {
    this.#grow(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  float64(value: number): void {
    this.#grow(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** @param value a safe integer from 0 on: seven bits a byte, the lowest first */
  varint(value: number): void {
    let left = value;
    while (left > 0x7f) {
      this.byte((left % 0x80) + 0x80);
      left = Math.floor(left / 0x80);
    }
    this.byte(left);
  }

  /** UTF-16 code units, so that any text comes back as it was, halves of surrogate pairs too. */
  text(value: string): void {
    this.varint(value.length);
    for (let at = 0; at < value.length; at++) this.varint(value.charCodeAt(at));
  }

  bytes(bytes: Uint8Array): void {
    this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A whole number of 32 bits as a varint, small either side of 0. */
  signedVarint(value: number): void {
    this.varint(((value << 1) ^ (value >> 31)) >>> 0);
  }

  #grow(by: number): void {
    const needed = this.#length + by;
    if (needed <= this.#bytes.length) return;
    const bigger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    bigger.set(this.#bytes);
    this.#bytes = bigger;
    this.#view = new DataView(bigger.buffer);
  }
}
