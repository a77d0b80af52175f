import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../http/answer.ts';
import { commonHeaders } from '../http/send-answer.ts';

export function sendCut(response: ServerResponse, answer: Answer): void {
  const half = firstHalf(bodyOf(answer));
  writeHead(response, answer, half.length);
  response.end(half);
}

export function sendAndReset(response: ServerResponse, answer: Answer): void {
  const body = bodyOf(answer);
  writeHead(response, answer, body.length);
  response.write(firstHalf(body), () => response.socket?.resetAndDestroy());
}

export async function sendDripping(
  response: ServerResponse,
  answer: Answer,
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> {
  writeHead(response, answer, undefined);
  for (const byte of bodyOf(answer)) {
    response.write(Uint8Array.of(byte));
    await delay(intervalMs, undefined, { signal });
  }
  response.end();
}

/** As fast as the client reads. */
export async function sendHuge(
  response: ServerResponse,
  requestId: string,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  const opening = '{"padding":"';
  const closing = '"}';
  response.writeHead(200, commonHeaders(requestId));
  response.write(opening);
  const chunk = Buffer.alloc(65_536, 'x');
  for (let left = bytes - opening.length - closing.length; left > 0; left -= chunk.length) {
    if (!response.write(left < chunk.length ? chunk.subarray(0, left) : chunk))
      await once(response, 'drain', { signal });
  }
  response.end(closing);
}

/** As fast as the client reads. */
export async function sendRows(
  response: ServerResponse,
  answer: Answer,
  { count, row }: { readonly count: number; readonly row: string },
  signal: AbortSignal,
): Promise<void> {
  writeHead(response, answer, undefined);
  const [opening = '', closing = ''] = JSON.stringify({ ...answer.body, data: [] }).split(/(?<="data":\[)/);
  response.write(opening);
  const rowsAtOnce = Math.ceil(65_536 / row.length);
  for (let left = count; left > 0; left -= rowsAtOnce) {
    const rows = Array.from({ length: Math.min(left, rowsAtOnce) }, () => row).join(',');
    if (!response.write(left > rowsAtOnce ? `${rows},` : rows)) await once(response, 'drain', { signal });
  }
  response.end(closing);
}

function writeHead(response: ServerResponse, answer: Answer, contentLength: number | undefined): void {
  response.writeHead(answer.status, {
    ...commonHeaders(answer.body.request_id),
    ...answer.headers,
    ...(contentLength === undefined ? {} : { 'content-length': contentLength }),
  });
}

function bodyOf(answer: Answer): Buffer {
  return Buffer.from(JSON.stringify(answer.body));
}

function firstHalf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}
