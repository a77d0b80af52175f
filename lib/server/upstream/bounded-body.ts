import 'server-only';

export class BodyTooLarge extends Error {}

/** @throws BodyTooLarge as soon as it exceeds `maxBytes`; whatever the stream throws */
export async function boundedBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  return (await boundedBytes(body, maxBytes)).toString('utf8');
}

/** @throws as `boundedBody` */
export async function boundedBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new BodyTooLarge(`the body exceeds ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
