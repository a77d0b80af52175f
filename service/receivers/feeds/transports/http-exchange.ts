import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, constants as zlib } from 'node:zlib';
import { ipAddress } from '#lib/text/ip-address.ts';

export interface HttpAnswer {
  readonly server: string;
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Decompressed, and empty unless the status is 200. */
  readonly body: Uint8Array;
}

export class TooLongError extends Error {
  readonly head: Uint8Array;

  constructor(head: Uint8Array) {
    super('the answer is too long');
    this.head = head;
  }
}

/**
 * Unlike fetch, it reads answers with a wrong `content-encoding`, as some receivers' web servers send.
 * @throws TooLongError if the body exceeds the limit, compressed or not
 */
export async function exchange(
  url: URL,
  headers: Readonly<Record<string, string>>,
  bodyMaxBytes: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const message = await send(url, { ...headers, 'accept-encoding': 'gzip, deflate, br' }, signal);
  const { statusCode: status = 0, headers: answered } = message;
  const server = serverOf(message.socket);
  try {
    if (status !== 200) return { server, status, headers: answered, body: NOTHING };
    const raw = await bytesOf(message, bodyMaxBytes);
    const body = await decoded(raw, answered['content-encoding'], bodyMaxBytes);
    return { server, status, headers: answered, body };
  } finally {
    message.destroy();
  }
}

const NOTHING = new Uint8Array();

/** This machine is one server with several addresses. */
function serverOf({ remoteAddress = '', remotePort, localAddress }: IncomingMessage['socket']): string {
  const isThisMachine = remoteAddress === localAddress || ipAddress(remoteAddress)?.range() === 'loopback';
  return `${isThisMachine ? 'localhost' : remoteAddress}:${remotePort}`;
}

function send(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const make = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = make(url, { headers, signal });
    request.once('response', resolve);
    request.once('error', (error) => {
      // The server closed the kept-alive connection while this request reused it.
      if (request.reusedSocket && !signal.aborted) send(url, headers, signal).then(resolve, reject);
      else reject(error);
    });
    request.end();
  });
}

/** Decompresses a body. Its magic bytes count more than the header. */
async function decoded(raw: Uint8Array, encoding: string | undefined, maxBytes: number): Promise<Uint8Array> {
  const decoder = decoderOf(raw, encoding?.trim().toLowerCase());
  if (decoder === undefined) return raw;
  try {
    return await bytesOf(Readable.from([raw]).pipe(decoder), maxBytes);
  } catch (error) {
    if (error instanceof TooLongError) throw error;
    return raw;
  }
}

function decoderOf(raw: Uint8Array, encoding: string | undefined) {
  // A truncated answer is read as far as possible.
  if (isGzip(raw)) return createGunzip({ finishFlush: zlib.Z_SYNC_FLUSH });
  if (encoding === 'br') return createBrotliDecompress({ finishFlush: zlib.BROTLI_OPERATION_FLUSH });
  return encoding === 'deflate' ? createInflate({ finishFlush: zlib.Z_SYNC_FLUSH }) : undefined;
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

async function bytesOf(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > maxBytes) throw new TooLongError(chunks[0]!);
  }
  return Buffer.concat(chunks);
}
