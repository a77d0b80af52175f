import { PbfReader, type PbfWriter } from 'pbf';

/**
 * Reads the plain part of a frame: numbers as Protocol Buffers write them, by a library that trusts its bytes. Every method
 * throws an Error where they end too early, or hold what no frame does.
 */
export class PlainReader {
  readonly #pbf: PbfReader;

  constructor(bytes: Uint8Array) {
    this.#pbf = new PbfReader(bytes);
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#pbf.length - this.#pbf.pos;
  }

  uint32(): number {
    this.#need(4);
    return this.#pbf.readFixed32();
  }

  float64(): number {
    this.#need(8);
    return this.#pbf.readDouble();
  }

  /** A safe integer from 0 on. */
  varint(): number {
    this.#need(1);
    const value = this.#pbf.readVarint();
    if (!Number.isSafeInteger(value)) throw new Error('the frame is damaged: a number is too large');
    return value;
  }

  /** A whole number of 32 bits. */
  signedVarint(): number {
    this.#need(1);
    const value = this.#pbf.readSVarint();
    if (value !== (value | 0)) throw new Error('the frame is damaged: a number is too large');
    return value;
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
    this.#need(length);
    const { buf, pos } = this.#pbf;
    this.#pbf.pos += length;
    return buf.subarray(pos, pos + length);
  }

  #need(bytes: number): void {
    if (bytes > this.left) throw new Error('the frame is cut');
  }
}

/** UTF-16 code units, so that any text comes back as it was, halves of surrogate pairs too; `writeString` loses those. */
export function writeText(writer: PbfWriter, text: string): void {
  writer.writeVarint(text.length);
  for (let at = 0; at < text.length; at++) writer.writeVarint(text.charCodeAt(at));
}
