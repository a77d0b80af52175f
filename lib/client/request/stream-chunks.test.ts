import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeHead } from '#lib/codec/json-head.ts';
import { historyMessages } from '../replay/load/history-messages.ts';
import { inflate, streamChunks } from './stream-chunks.ts';

const DEFLATED = new Uint8Array(deflateRawSync('positions'));

interface Watched {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly cancelled: () => boolean;
  readonly abort: (reason: unknown) => void;
}

/** A stream of `chunks` that stays open if it does not `end`. */
function watched(chunks: readonly Uint8Array<ArrayBuffer>[], end = true): Watched {
  let isCancelled = false;
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(own) {
      controller = own;
      for (const chunk of chunks) own.enqueue(chunk);
      if (end) own.close();
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { stream, cancelled: () => isCancelled, abort: (reason) => controller.error(reason) };
}

const bytes = (...values: number[]) => new Uint8Array(values);

describe('without an async iterator of streams, as in Safari', () => {
  const iterator = Object.getOwnPropertyDescriptor(ReadableStream.prototype, Symbol.asyncIterator);
  beforeEach(() => {
    Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
  });
  afterEach(() => {
    if (iterator) Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, iterator);
  });

  test('a deflated body is inflated', async () => {
    expect(Buffer.from(await inflate(DEFLATED, 100)).toString()).toBe('positions');
  });

  test('a body above its limit is refused', async () => {
    await expect(inflate(DEFLATED, 3)).rejects.toThrow('too large');
  });

  test('the messages of a load are read', async () => {
    const line = new Uint8Array(writeHead({ type: 'queued', rank: 1, running: 2 }));
    const read: string[] = [];
    for await (const { head } of historyMessages(watched([line.subarray(0, 5), line.subarray(5)]).stream))
      read.push(head.type);
    expect(read).toEqual(['queued']);
  });
});

describe('where reading a Blob fails, as it does now and then in Safari’s engine', () => {
  const { stream } = Blob.prototype;
  beforeEach(() => {
    Blob.prototype.stream = () => {
      const { stream: failing, abort } = watched([], false);
      abort(new DOMException('The I/O read operation failed.', 'NotReadableError'));
      return failing;
    };
  });
  afterEach(() => {
    Blob.prototype.stream = stream;
  });

  test('a deflated body is inflated', async () => {
    expect(Buffer.from(await inflate(DEFLATED, 100)).toString()).toBe('positions');
  });
});

test('every chunk is read in order, and the stream is released', async () => {
  const { stream } = watched([bytes(1), bytes(2, 3)]);
  const read: number[] = [];
  for await (const chunk of streamChunks(stream)) read.push(...chunk);
  expect(read).toEqual([1, 2, 3]);
  expect(stream.locked).toBe(false);
});

test('leaving early cancels the stream and releases it', async () => {
  const { stream, cancelled } = watched([bytes(1), bytes(2)], false);
  for await (const _ of streamChunks(stream)) break;
  expect([cancelled(), stream.locked]).toEqual([true, false]);
});

test('an aborted read throws the reason of the abort, and the stream is released', async () => {
  const { stream, abort } = watched([], false);
  const reading = streamChunks(stream).next();
  const reason = new DOMException('left', 'AbortError');
  abort(reason);
  await expect(reading).rejects.toBe(reason);
  expect(stream.locked).toBe(false);
});

test('a damaged load cancels its answer: the server does not wait for a reader that is gone', async () => {
  const { stream, cancelled } = watched([bytes(255, 255, 255, 255)], false);
  await expect(historyMessages(stream).next()).rejects.toThrow('damaged');
  expect([cancelled(), stream.locked]).toEqual([true, false]);
});
