import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { resolveName, SECOND_ANSWERS } from '#testing/resolve-name.ts';
import type { Connection } from '../feed.ts';
import { fastSurroundings, makeRecordedInlet } from '../recorded-inlet.fixture.ts';
import { tcpLines } from './tcp-lines.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];
const connections: Connection[] = [];
afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function serve(greet: (socket: Socket) => void, port = 0): Promise<number> {
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    greet(socket);
  });
  servers.push(server);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function read(port: number, surroundings = fastSurroundings, host = '127.0.0.1') {
  const recorded = makeRecordedInlet();
  const connection = tcpLines({ host, port })(recorded.inlet, surroundings);
  connections.push(connection);
  return { ...recorded, connection };
}

test('hands in lines as they arrive, except empty ones', async () => {
  const port = await serve((socket) => socket.write('one\r\n\r\ntwo\nthr'));
  const { until, events } = read(port);
  expect(await until('message two')).toEqual(['connected', 'message one', 'message two']);
  sockets[0]?.write('ee\n');
  expect(await until('message three')).toEqual(['message three']);
  expect(events).toEqual([]);
});

test('reconnects after an end, and drops half a line', async () => {
  let count = 0;
  const port = await serve((socket) => {
    count += 1;
    socket.end(`line of ${count}\nhalf`);
  });
  const { until } = read(port);
  expect(await until('message line of 2')).toEqual([
    'connected',
    'message line of 1',
    'lost the other end closed the connection',
    'connected',
    'message line of 2',
  ]);
});

test('retries a port without a listener', async () => {
  const port = await serve(() => {});
  const [gone] = servers.splice(0);
  gone?.close();
  const { until } = read(port);
  await until('lost nothing listens there');
  await until('lost nothing listens there');
  await serve((socket) => socket.write('back\n'), port);
  await until('message back');
});

test('drops and counts an endless line, and reads the next one', async () => {
  const port = await serve((socket) => socket.write(`${'x'.repeat(100_000)}\nshort\n`));
  const { until } = read(port);
  expect(await until('message short')).toEqual(['connected', 'refuse too_long', 'message short']);
});

test('closes a connection that floods', async () => {
  const port = await serve((socket) => {
    const flood = Buffer.alloc(64 * 1024, `${'x'.repeat(1023)}\n`);
    const pour = () => {
      while (!socket.destroyed && socket.write(flood));
    };
    socket.on('drain', pour);
    pour();
  });
  const at = fastSurroundings.now();
  const { until } = read(port, { ...fastSurroundings, now: () => at });
  const events = await until('lost it sent more than 8 MiB within a second');
  expect(events.at(-2)).toBe('refuse flood');
  expect(events.filter((line) => line.startsWith('message x')).length).toBeLessThanOrEqual(8 * 1024);
});

test('reconnects after a long silence', async () => {
  const port = await serve(() => {});
  const { until } = read(port);
  expect(await until('lost it sent nothing for 120 s')).toEqual(['connected', 'lost it sent nothing for 120 s']);
});

test('neither reads nor reconnects once closed', async () => {
  const port = await serve((socket) => socket.write('one\n'));
  const { until, connection, events } = read(port);
  await until('message one');
  const [socket] = sockets;
  const isClosed = once(socket!, 'close');
  await connection.close();
  await isClosed;
  expect(events).toEqual([]);
  expect(sockets).toHaveLength(1);
});

test('reads from the address of a name that answers', async () => {
  const port = await serve((socket) => socket.write('line\n'));
  const restore = resolveName('receiver.test', SECOND_ANSWERS);
  const { until } = read(port, fastSurroundings, 'receiver.test');
  expect(await until('message line').finally(restore)).toEqual(['connected', 'message line']);
});
