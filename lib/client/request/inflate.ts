import { streamChunks, streamOf } from './stream-chunks.ts';

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
