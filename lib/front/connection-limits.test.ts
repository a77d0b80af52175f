import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { cutStalledReader } from './connection-limits.ts';

const STALL_MS = 300;
const CHUNK = Buffer.alloc(256 * 1024, 'x');
const CHUNKS = 200;

let server: Server;
let socket: Socket;
afterEach(() => {
  socket.destroy();
  server.closeAllConnections();
  server.close();
});

async function ask(answer: (response: ServerResponse) => unknown) {
  const { promise: cut, resolve } = Promise.withResolvers<boolean>();
  server = createServer((_, response) => {
    cutStalledReader(response, STALL_MS);
    response.once('close', () => resolve(!response.writableFinished));
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: lookout\r\n\r\n');
  return { wasCut: cut };
}

const giveAll = (response: ServerResponse) =>
  Readable.from(Array.from({ length: CHUNKS }, () => CHUNK))
    .on('error', () => undefined)
    .pipe(response);

describe('a client that takes nothing of an answer', () => {
  test('is cut', async () => {
    const beganMs = performance.now();
    const { wasCut } = await ask(giveAll);
    expect(await wasCut).toBe(true);
    expect(performance.now() - beganMs).toBeGreaterThanOrEqual(STALL_MS);
  });

  test('is not cut while it takes some of it now and then', async () => {
    const { wasCut } = await ask(giveAll);
    let received = 0;
    let taken = 0;
    socket.on('data', ({ length }) => {
      received += length;
      taken += length;
      if (taken > 16 * CHUNK.length) socket.pause();
    });
    for (let ended = false; !ended; ) {
      taken = 0;
      socket.resume();
      ended = await Promise.race([wasCut.then(() => true), delay(STALL_MS / 2, false)]);
    }
    expect(await wasCut).toBe(false);
    taken = Number.NEGATIVE_INFINITY;
    socket.resume();
    await expect.poll(() => received).toBeGreaterThan(CHUNKS * CHUNK.length);
  });

  test('is not cut where there is nothing to take', async () => {
    let answering: ServerResponse | undefined;
    const { wasCut } = await ask((response) => {
      response.write('begun');
      answering = response;
    });
    await delay(3 * STALL_MS);
    socket.resume();
    answering?.end('ended');
    expect(await wasCut).toBe(false);
  });
});
