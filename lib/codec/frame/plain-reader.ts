import { PbfReader, type PbfWriter } from 'pbf';

/**
 * Reads the plain part of a frame, with numbers encoded as in Protocol Buffers. Adds bounds checks to the library, which trusts
 * its input: every method throws an Error if the bytes end too early or contain an invalid value.
 */
export class PlainReader {
  readonly #pbf: PbfReader;

  constructor(bytes: Uint8Array) {
    this.#pbf = new PbfReader(bytes);
  }

  /** Number of unread bytes. */
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

  /** A non-negative safe integer. */
  varint(): number {
    this.#need(1);
    const value = this.#pbf.readVarint();
    if (!Number.isSafeInteger(value)) throw new Error('the frame is damaged: a number is too large');
    return value;
  }

  /** A signed 32-bit integer. */
  signedVarint(): number {
    this.#need(1);
    const value = this.#pbf.readSVarint();
    if (value !== (value | 0)) throw new Error('the frame is damaged: a number is too large');
    return value;
  }

  /** A signed safe integer. */
  wideSignedVarint(): number {
    this.#need(1);
    const value = this.#pbf.readSVarint();
    if (!Number.isSafeInteger(value)) throw new Error('the frame is damaged: a number is too large');
    return value;
  }

  /** A count of items of at least `bytesEach` bytes. Checked against the bytes left, so that a damaged count allocates nothing. */
  count(bytesEach: number): number {
    const count = this.varint();
    if (count * bytesEach > this.left) throw new Error('the frame is truncated or damaged: a count is too large');
    return count;
  }

  text(): string {
    const length = this.count(1);
    const units: string[] = [];
    for (let at = 0; at < length; at++) {
      const unit = this.varint();
      if (unit > 0xffff) throw new Error('the frame is damaged: invalid UTF-16 code unit in a text');
      units.push(String.fromCharCode(unit));
    }
    return units.join('');
  }

  /** A view of the input, not a copy. */
  bytes(length: number): Uint8Array {
    this.#need(length);
    const { buf, pos } = this.#pbf;
    this.#pbf.pos += length;
    return buf.subarray(pos, pos + length);
  }

  #need(bytes: number): void {
    if (bytes > this.left) throw new Error('the frame is truncated');
  }
}

/** Writes UTF-16 code units, so that lone surrogates are preserved; `writeString` would replace them. */
export function writeText(writer: PbfWriter, text: string): void {
  writer.writeVarint(text.length);
  for (let at = 0; at < text.length; at++) writer.writeVarint(text.charCodeAt(at));
}
