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

/** Not through a Blob: Safari’s engine keeps its bytes in another process, and now and then fails to read them there. */
export function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
