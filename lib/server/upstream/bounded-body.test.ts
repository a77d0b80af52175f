import { expect, test } from 'vitest';
import { BodyTooLarge, boundedBody } from './bounded-body.ts';

function body(chunks: Iterable<Uint8Array>) {
  const seen = { taken: 0, closed: false };
  async function* read() {
    try {
      for (const chunk of chunks) {
        seen.taken++;
        yield chunk;
      }
    } finally {
      seen.closed = true;
    }
  }
  return { seen, stream: read() };
}

function* endless() {
  for (;;) yield new Uint8Array(1024);
}

test('an endless body is read up to the limit and then closed', async () => {
  const { seen, stream } = body(endless());
  await expect(boundedBody(stream, 10 * 1024)).rejects.toThrow(BodyTooLarge);
  expect(seen).toEqual({ taken: 11, closed: true });
});

test('a body of exactly the limit is accepted', async () => {
  await expect(boundedBody(body([Buffer.from('abc'), Buffer.from('de')]).stream, 5)).resolves.toBe('abcde');
});

test('a character split across chunks is decoded correctly', async () => {
  const bytes = Buffer.from('Zürich 東京');
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
  await expect(boundedBody(body(single).stream, 100)).resolves.toBe('Zürich 東京');
});
