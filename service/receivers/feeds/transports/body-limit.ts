/** An answer with a thousand aircraft. */
const FIRST_BYTES = 1024 * 1024;
/** Ten thousand aircraft with all of readsb's fields. */
const BODY_MAX_BYTES = 8 * FIRST_BYTES;

/** Grows only for an address whose answers proved to be long lists. */
export class BodyLimit {
  #bytes = FIRST_BYTES;

  get bytes(): number {
    return this.#bytes;
  }

  note(bytes: number, isReadable: boolean): void {
    if (!isReadable) this.#bytes = FIRST_BYTES;
    else if (bytes > this.#bytes / 2) this.#raise();
  }

  exceeded(head: Uint8Array): void {
    if (beginsAsList(head)) this.#raise();
  }

  #raise(): void {
    this.#bytes = Math.min(BODY_MAX_BYTES, this.#bytes * 2);
  }
}

const HEAD_BYTES = 4096;

function beginsAsList(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_BYTES)).toString('latin1');
  return /^(\xEF\xBB\xBF)?\s*[[{]/.test(text) && /"(aircraft|ac|drones|hex)"\s*:/.test(text);
}
