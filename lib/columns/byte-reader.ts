import { DamagedBytes } from './damaged-bytes.ts';

/** Little-endian. @throws DamagedBytes if the bytes end too early */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** A view, not a copy. */
  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new DamagedBytes('it ends too early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  uint32(): number {
    this.take(4);
    return this.#view.getUint32(this.#at - 4, true);
  }

  int32(): number {
    return this.uint32() | 0;
  }

  float64(): number {
    this.take(8);
    return this.#view.getFloat64(this.#at - 8, true);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#at);
  }

  /** @throws DamagedBytes unless everything was read */
  end(): void {
    if (!this.isAtEnd) throw new DamagedBytes('it is longer than it should be');
  }
}
