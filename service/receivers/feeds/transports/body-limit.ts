/** What one answer may have at first: the answer of a station that hears a thousand aircraft. */
const FIRST_BYTES = 1024 * 1024;
/** Ten thousand aircraft with everything that readsb says of each. */
const BODY_MAX_BYTES = 8 * FIRST_BYTES;

/** How long an answer may be: longer only for an address whose answers have shown that they are long lists. */
export class BodyLimit {
  readonly #firstBytes: number;
  readonly #maxBytes: number;
  #bytes: number;

  constructor(firstBytes = FIRST_BYTES, maxBytes = BODY_MAX_BYTES) {
    this.#firstBytes = firstBytes;
    this.#maxBytes = maxBytes;
    this.#bytes = firstBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** An answer of this length was read, or could not be. */
  note(bytes: number, isReadable: boolean): void {
    if (!isReadable) this.#bytes = this.#firstBytes;
    else if (bytes > this.#bytes / 2) this.#raise();
  }

  /** An answer was longer than this. Its beginning tells whether the next one may be twice as long. */
  exceeded(head: Uint8Array): void {
    if (beginsAsList(head)) this.#raise();
  }

  #raise(): void {
    this.#bytes = Math.min(this.#maxBytes, this.#bytes * 2);
  }
}

const HEAD_BYTES = 4096;

/** As the answers of readsb, dump1090 and DragonSync begin, and no others. */
function beginsAsList(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_BYTES)).toString('latin1');
  return /^(\xEF\xBB\xBF)?\s*[[{]/.test(text) && /"(aircraft|ac|drones|hex)"\s*:/.test(text);
}
