import { type CompactHistoryHead, compactHistoryHeadSchema } from '#lib/api/history-line.ts';
import { HEAD_LENGTH_BYTES, readHead, readHeadLength } from '#lib/codec/json-head.ts';
import { inflate, streamChunks } from '../../request/stream-chunks.ts';

const HEAD_MAX_BYTES = 1024 * 1024;
const PART_MAX_BYTES = 64 * 1024 * 1024;

export interface HistoryMessage {
  readonly head: CompactHistoryHead;
  readonly body: Uint8Array;
}

/**
 * Bodies are decompressed. Leaving the loop early, or a damaged stream, cancels the stream.
 * @throws Error if the stream is damaged, or ends in the middle of a message
 */
export async function* historyMessages(stream: ReadableStream<Uint8Array>): AsyncGenerator<HistoryMessage> {
  const chunks = streamChunks(stream);
  const bytes = new ByteStream(chunks);
  try {
    for (;;) {
      const length = await bytes.read(HEAD_LENGTH_BYTES);
      if (!length) return;
      const headBytes = readHeadLength(length);
      if (headBytes > HEAD_MAX_BYTES) throw new Error('the answer is damaged: a head is too large');
      const head = compactHistoryHeadSchema.parse(readHead(await bytes.readExactly(headBytes)));
      if (head.type !== 'part') yield { head, body: new Uint8Array(0) };
      else {
        if (head.bytes > PART_MAX_BYTES) throw new Error('the answer is damaged: a part is too large');
        yield { head, body: await inflate(await bytes.readExactly(head.bytes), PART_MAX_BYTES) };
      }
    }
  } finally {
    await chunks.return();
  }
}

class ByteStream {
  readonly #chunks: AsyncGenerator<Uint8Array, void>;
  #buffered: Uint8Array[] = [];
  #length = 0;

  constructor(chunks: AsyncGenerator<Uint8Array, void>) {
    this.#chunks = chunks;
  }

  /**
   * `undefined` at the end of the stream.
   * @throws Error if it ends within them
   */
  async read(count: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (this.#length < count) {
      const { done, value } = await this.#chunks.next();
      if (done) {
        if (this.#length > 0) throw new Error('the answer is truncated');
        return undefined;
      }
      this.#buffered.push(value);
      this.#length += value.byteLength;
    }
    const bytes = new Uint8Array(count);
    let at = 0;
    while (at < count) {
      const first = this.#buffered[0] as Uint8Array;
      const part = first.subarray(0, count - at);
      bytes.set(part, at);
      at += part.byteLength;
      if (part.byteLength === first.byteLength) this.#buffered.shift();
      else this.#buffered[0] = first.subarray(part.byteLength);
    }
    this.#length -= count;
    return bytes;
  }

  async readExactly(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.read(count);
    if (!bytes) throw new Error('the answer is truncated');
    return bytes;
  }
}
