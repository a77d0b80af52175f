import { type CompactHistoryHead, compactHistoryHeadSchema } from '#lib/api/history-line.ts';
import { HEAD_LENGTH_BYTES, readHead, readHeadLength } from '#lib/codec/json-head.ts';
import { inflate } from '../../request/inflate.ts';

const HEAD_MAX_BYTES = 1024 * 1024;
const PART_MAX_BYTES = 64 * 1024 * 1024;

/** One message of the compact form; `body` opened, empty where the head says that none follows. */
export interface HistoryMessage {
  readonly head: CompactHistoryHead;
  readonly body: Uint8Array;
}

/**
 * Reads the compact form of `/api/history` as it comes.
 * @throws Error where it is damaged, or ends in the middle of a message
 */
export async function* historyMessages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<HistoryMessage> {
  const bytes = new Incoming(chunks);
  for (;;) {
    const length = await bytes.take(HEAD_LENGTH_BYTES);
    if (!length) return;
    const headBytes = readHeadLength(length);
    if (headBytes > HEAD_MAX_BYTES) throw new Error('the answer is damaged: a head is too large');
    const head = compactHistoryHeadSchema.parse(readHead(await bytes.need(headBytes)));
    if (head.type !== 'part') yield { head, body: new Uint8Array(0) };
    else {
      if (head.bytes > PART_MAX_BYTES) throw new Error('the answer is damaged: a part is too large');
      yield { head, body: await inflate(await bytes.need(head.bytes), PART_MAX_BYTES) };
    }
  }
}

class Incoming {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Uint8Array[] = [];
  #length = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** That many bytes; `undefined` where the end has come instead. */
  async take(count: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (this.#length < count) {
      const { done, value } = await this.#chunks.next();
      if (done) {
        if (this.#length > 0) throw new Error('the answer is cut');
        return undefined;
      }
      this.#held.push(value);
      this.#length += value.byteLength;
    }
    const taken = new Uint8Array(count);
    let at = 0;
    while (at < count) {
      const first = this.#held[0] as Uint8Array;
      const part = first.subarray(0, count - at);
      taken.set(part, at);
      at += part.byteLength;
      if (part.byteLength === first.byteLength) this.#held.shift();
      else this.#held[0] = first.subarray(part.byteLength);
    }
    this.#length -= count;
    return taken;
  }

  async need(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const taken = await this.take(count);
    if (!taken) throw new Error('the answer is cut');
    return taken;
  }
}
