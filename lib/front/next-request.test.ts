import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pipeToNodeResponse } from 'next/dist/server/pipe-readable.js';
import { expect, test } from 'vitest';
import { endWhenLeft } from './next-request.ts';

const CHUNK = Buffer.alloc(8192, 'x');

test('Next’s wait for the end of an answer ends where the client leaves before all of it was sent', async () => {
  const ended: string[] = [];
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  const { promise: allWritten, resolve: onAllWritten } = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    endWhenLeft(response);
    response.once('finish', () => ended.push('finish'));
    const answer = new ReadableStream({
      pull: (controller) => {
        if (!response.socket || response.socket.writableLength > 0) {
          controller.close();
          return onAllWritten();
        }
        controller.enqueue(CHUNK);
      },
    });
    void pipeToNodeResponse(answer, response).then(resolve);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.pause();
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: lookout\r\n\r\n');
  try {
    await allWritten;
    socket.destroy();
    await settled;
    expect(ended).toEqual(['finish']);
  } finally {
    server.close();
  }
});
