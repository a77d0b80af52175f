import { execFileSync } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from './listening.ts';

/** Prints how many connections are established after many turns of its event loop. */
const CONNECTING = `
  let connected = 0;
  for (let index = 0; index < 1000; index++)
    require('node:net').connect(Number(process.argv[1]), '127.0.0.1', () => connected++).on('error', () => {});
  let turns = 0;
  const turn = () => {
    if (connected < 1000 && turns++ < 2000) return setImmediate(turn);
    process.stdout.write(String(connected));
    process.exit();
  };
  turn();`;

test('a thousand connections that arrive during one long turn of the event loop are established', async () => {
  const server = createServer((socket) => socket.destroy());
  onTestFinished(() => void server.close());
  await listening(server, '127.0.0.1', 0);
  const { port } = server.address() as AddressInfo;
  expect(execFileSync(process.execPath, ['-e', CONNECTING, String(port)], { encoding: 'utf8' })).toBe('1000');
});

test('a port that is taken says what to do', async () => {
  const first = createServer();
  onTestFinished(() => void first.close());
  await listening(first, '127.0.0.1', 0);
  const { port } = first.address() as AddressInfo;
  await expect(listening(createServer(), '127.0.0.1', port)).rejects.toThrow(`port ${port} is in use: set PORT`);
});
