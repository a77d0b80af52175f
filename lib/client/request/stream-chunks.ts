/**
 * Chunks as they arrive. Safari’s `ReadableStream` has no async iterator.
 * Leaving the loop early cancels the stream, and releases it.
 * @throws the stream’s error, an AbortError if its request was aborted
 */
export async function* streamChunks<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // A stream that has failed rejects with the error that `read` has thrown.
    await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

/**
 * The bytes pass no Blob: Safari’s engine keeps its bytes in another process, and now and then fails to read them
 * there.
 */
export function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

/**
 * Raw deflate (RFC 1951).
 * @throws Error if the data is damaged, or the result exceeds `maxBytes`
 */
export async function inflate(body: Uint8Array<ArrayBuffer>, maxBytes: number): Promise<Uint8Array> {
  const stream = streamOf(body).pipeThrough(new DecompressionStream('deflate-raw'));
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of streamChunks(stream)) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) throw new Error('a compressed body is too large');
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
